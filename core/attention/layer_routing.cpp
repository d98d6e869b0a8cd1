#include "core/attention/layer_routing.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/attention/model_stages.h"
#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "core/model/stack.h"

namespace headscope {
namespace {

const Trace& kept_layer(const ModelTrace& model, std::int64_t layer) {
  const auto& trace = model.layers[static_cast<std::size_t>(layer)];
  if (trace != nullptr) return *trace;
  throw UsageError("phrase", fmt::format("layer {} was not kept, its stages are too large", layer), "fewer tokens");
}

}  // namespace

void check_has_experts(const ModelTrace* model, std::int64_t layer, const std::string& option) {
  if (model == nullptr || model->checkpoint == nullptr) {
    throw UsageError(option, "router and experts are of a mixture, and this request has no such model",
                     "--model with a mixture of experts, such as Mixtral");
  }
  const Checkpoint* const checkpoint = model->checkpoint.get();
  const Architecture& architecture = checkpoint->architecture();
  if (!architecture.mixture) {
    throw UsageError(option, fmt::format("{} has no experts, so it has no router", checkpoint->path()),
                     "a mixture of experts, such as Mixtral");
  }
  if (architecture.has_experts(layer)) return;
  const auto& layers = architecture.mixture->layers;
  const auto first = std::find(layers.begin(), layers.end(), true);
  throw UsageError("layer", fmt::format("layer {} of {} has one MLP and no experts", layer, checkpoint->path()),
                   first == layers.end() ? "a mixture with experts in a layer"
                                         : fmt::format("another, such as {}", first - layers.begin()));
}

Tensor routed_rows(const ModelTrace& model, std::int64_t layer, const std::string& option) {
  check_has_experts(&model, layer, option);
  const Architecture& architecture = model.checkpoint->architecture();
  const Trace& trace = kept_layer(model, layer);
  const Tensor& stream = model.streams[static_cast<std::size_t>(layer)];
  const BlockWeights weights = model.checkpoint->block(layer);
  const Tensor attended = attended_rows(architecture, weights, {stream, attention_added(trace)}, {0, stream.dim(1)});
  return mlp_input(architecture, weights, {stream, attended});
}

Routing layer_routing(const ModelTrace& model, std::int64_t layer, const CancelToken& cancel) {
  const Tensor rows = routed_rows(model, layer);
  const Checkpoint& checkpoint = *model.checkpoint;
  return routing_of(*checkpoint.architecture().mixture, *checkpoint.block(layer).experts, rows, *model.backend, cancel);
}

}  // namespace headscope
