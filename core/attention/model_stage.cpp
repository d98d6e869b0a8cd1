#include "core/attention/model_stage.h"

#include <algorithm>
#include <string>

namespace headscope {

const std::vector<ModelStageInfo>& model_stage_infos() {
  using Id = ModelStageId;
  using Needs = ModelStageNeeds;
  static const std::vector<std::string_view> of_layers = {"layer", "batch", "position", "feature"};
  static const std::vector<std::string_view> of_model = {"batch", "position", "feature"};
  static const std::vector<ModelStageInfo> infos = {
      {Id::stream, "stream", of_layers, "[layers + 1, batch, len, d_model]", Needs::nothing,
       "what enters layer 0, then what leaves each layer, before the final norm"},
      {Id::attention_out, "attention_out", of_layers, "[layers, batch, len, d_model]", Needs::nothing,
       "what attention adds to the stream, after a norm of it where there is one"},
      {Id::mlp_in, "mlp_in", of_layers, "[layers, batch, len, d_model]", Needs::mlp,
       "what the MLP reads, after the norm before it where there is one"},
      {Id::mlp_out, "mlp_out", of_layers, "[layers, batch, len, d_model]", Needs::mlp,
       "what the MLP adds to the stream, after a norm of it where there is one"},
      {Id::conv_out, "conv_out", of_model, "[batch, len, d_model]", Needs::convolution,
       "what the convolution beside layer 0 adds to what leaves it, before one more norm"},
      {Id::final_norm, "final_norm", of_model, "[batch, len, d_model]", Needs::nothing,
       "the final norm of what leaves the last layer"},
      {Id::logits, "logits", of_model, "[batch, len, vocabulary]", Needs::output_head,
       "the logits at every position, as the model's softmax reads them"},
      {Id::projected, "projected", of_model, "[batch, len, projection]", Needs::projection,
       "what a model gives in the space that its texts and images share, before it is made a unit vector"},
  };
  return infos;
}

const ModelStageInfo& model_stage_info(ModelStageId id) {
  return model_stage_infos()[static_cast<std::size_t>(id)];
}

std::optional<ModelStageId> model_stage_named(std::string_view name) {
  for (const ModelStageInfo& info : model_stage_infos()) {
    if (info.name == name) return info.id;
  }
  return std::nullopt;
}

std::string_view model_stage_names() {
  static const std::string names = [] {
    std::string text;
    for (const ModelStageInfo& info : model_stage_infos()) text += (text.empty() ? "" : ", ") + std::string(info.name);
    return text;
  }();
  return names;
}

}  // namespace headscope
