#include "core/gradient/model_gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/model_stages.h"
#include "core/attention/model_trace.h"
#include "core/attention/score_rule_of.h"
#include "core/base/error.h"
#include "core/gradient/head_gradient.h"
#include "core/gradient/layer_gradient.h"
#include "core/model/checkpoint.h"
#include "core/model/head_rule.h"
#include "core/request/intervention_kinds.h"
#include "core/request/memory.h"

namespace headscope {
namespace {

// What of a model, or of a request, the backward pass does not know.
struct Unknown {
  bool found = false;
  const char* what = "";
  const char* expected = "";
};

constexpr const char* kOtherModel = "a model without";
constexpr const char* kWithout = "a request without";

std::vector<Unknown> unknown_of_model(const Trace& layer, const Architecture& architecture) {
  const HeadRule* rule = layer.inputs->head_rule.get();
  return {{architecture.latents.has_value(), "attention by latents", kOtherModel},
          {architecture.mixture.has_value(), "a mixture of experts", kOtherModel},
          {architecture.convolution.has_value(), "a convolution beside layer 0", kOtherModel},
          {architecture.qkv_clip > 0, "queries, keys and values that are held within bounds", kOtherModel},
          {rule != nullptr && rule->norm_own && (!rule->query_norm.empty() || !rule->key_norm.empty()),
           "norms of heads with weights of their own", kOtherModel},
          {layer.inputs->weights.output.empty(), "layers without an output projection", kOtherModel}};
}

std::vector<Unknown> unknown_of_request(const Trace& layer) {
  const Request& request = layer.request;
  const bool fill = std::isfinite(request.mask_fill) && layer.mask->hidden.any();
  return {{!request.variants.empty(), "known mistakes", kWithout},
          {request.merge == Merge::direct, "heads that are merged without transposing", kWithout},
          {request.dropout > 0 || !layer.inputs->dropout_mask.empty(), "dropout", kWithout},
          {request.past > 0 || !request.key_past.empty() || !request.value_past.empty(), "a past", kWithout},
          {!layer.inputs->key_x.empty(), "cross-attention", kWithout},
          {fill, "hidden cells with a finite fill", kWithout},
          {layer.fully_masked_rows > 0, "rows whose every key is hidden", kWithout},
          {caps_added(layer.as_computed(), *layer.mask), "a softcap after what the mask adds", kWithout},
          {any_acts(request, InterventionEffect::numbers) || any_acts(request, InterventionEffect::heads),
           "interventions that put in numbers", kWithout}};
}

void refuse_unknown(const std::string& option, const std::vector<Unknown>& parts, const std::string& where) {
  for (const Unknown& part : parts) {
    if (!part.found) continue;
    throw UsageError(option, fmt::format("found {}{}, which the backward pass does not know", part.what, where),
                     fmt::format("{} them", part.expected));
  }
}

// Of a layer's scores the pass holds five arrays in double at once.
void check_bytes(const std::string& option, const Trace& layer) {
  const Inputs& inputs = *layer.inputs;
  const double cells = static_cast<double>(inputs.batch * inputs.num_heads) * static_cast<double>(layer.query_len()) *
                       static_cast<double>(layer.key_len());
  const double bytes = 5 * sizeof(double) * cells;
  if (bytes <= static_cast<double>(kDefaultMemoryLimit)) return;
  constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;
  throw UsageError(option, fmt::format("the gradients of a layer's scores would need {:.1f} GiB", bytes / kGibi),
                   fmt::format("at most {:.1f} GiB: fewer tokens", static_cast<double>(kDefaultMemoryLimit) / kGibi));
}

bool is_asked(std::span<const std::string> stages, std::string_view stage) {
  return stages.empty() || std::find(stages.begin(), stages.end(), stage) != stages.end();
}

}  // namespace

const Tensor* LayerGradients::find(std::string_view stage) const {
  const auto found =
      std::find_if(stages.begin(), stages.end(), [&](const StageGradient& each) { return each.stage == stage; });
  return found == stages.end() ? nullptr : &found->tensor;
}

void check_gradient(const std::string& option, const Trace& trace) {
  check_model_stage(option, trace, ModelStageId::logits);
  const ModelTrace& model = *trace.model;
  check_one_stack(option, model);
  check_layers_kept(option, model);
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    const std::string where = fmt::format(" in layer {} of {}", layer, model.name);
    refuse_unknown(option, unknown_of_model(*model.layers[layer], model.checkpoint->architecture()), where);
    refuse_unknown(option, unknown_of_request(*model.layers[layer]), "");
    check_bytes(option, *model.layers[layer]);
  }
}

ModelGradients model_gradients(const std::string& option, const Trace& trace, const LogitSlopes& slopes,
                               std::span<const std::string> stages, const CancelToken& cancel) {
  check_gradient(option, trace);
  const ModelTrace& model = *trace.model;
  ModelGradients result;
  result.layers.resize(model.layers.size());
  GradientRows gradient;
  ThreadPool threads(trace.request.threads);
  for (auto layer = std::ssize(model.layers) - 1; layer >= 0; --layer) {
    cancel.check();
    const auto at = static_cast<std::size_t>(layer);
    const BlockWeights weights = model.checkpoint->block(layer);
    const LayerOf of{model.checkpoint->architecture(), weights, *model.layers[at], model.streams[at], threads};
    const LayerPass pass = layer_pass(of);
    if (gradient.values.empty()) gradient = before_head(model, slopes, left_of(of, pass), threads, cancel);
    const auto put = [&](std::string_view stage, const GradientRows& rows, const Tensor& like) {
      if (!is_asked(stages, stage)) return;
      result.layers[at].stages.push_back({std::string(stage), tensor_of_rows(rows, like.shape(), like.axes())});
    };
    gradient = before_layer(of, pass, gradient, put, cancel);
  }
  return result;
}

}  // namespace headscope
