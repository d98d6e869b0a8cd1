// The stages of a whole model beside those of one layer's attention: one row a stage. Plain data.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace headscope {

enum class ModelStageId { stream, attention_out, mlp_in, mlp_out, conv_out, final_norm, logits, projected };

// What a model must have for a stage, beside its layers.
enum class ModelStageNeeds { nothing, mlp, convolution, output_head, projection };

struct ModelStageInfo {
  ModelStageId id;
  std::string_view name;               // as in files and options: "attention_out"
  std::vector<std::string_view> axes;  // slowest first: "layer", "batch", "position", "feature"
  std::string_view shape;              // "[layers, batch, len, d_model]"
  ModelStageNeeds needs;
  std::string_view help;  // what it holds, a part of a sentence
  bool by_layers() const { return axes.front() == "layer"; }
};

// In the order of computation.
const std::vector<ModelStageInfo>& model_stage_infos();
const ModelStageInfo& model_stage_info(ModelStageId id);
std::optional<ModelStageId> model_stage_named(std::string_view name);

// "stream, attention_out, mlp_in, mlp_out, conv_out, final_norm, logits, projected"
std::string_view model_stage_names();

}  // namespace headscope
