#include "core/attention/layer_routing.h"

#include <fmt/format.h>

#include <algorithm>

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

// What attention adds to the stream: its output, after its norm where it has one.
const Tensor& added_by_attention(const Trace& layer) {
  const Stage* normed = layer.find(StageId::attention_norm_out);
  return normed != nullptr ? normed->tensor : layer.tensor(StageId::output);
}

}  // namespace

void check_has_experts(const Checkpoint* checkpoint, std::int64_t layer) {
  if (checkpoint == nullptr) {
    throw UsageError("export", "router and experts are of a mixture, and this request has no such model",
                     "--model with a mixture of experts, such as Mixtral");
  }
  const Architecture& architecture = checkpoint->architecture();
  if (!architecture.mixture) {
    throw UsageError("export", fmt::format("{} has no experts, so it has no router", checkpoint->path()),
                     "a mixture of experts, such as Mixtral");
  }
  if (architecture.has_experts(layer)) return;
  const auto& layers = architecture.mixture->layers;
  const auto first = std::find(layers.begin(), layers.end(), true);
  throw UsageError("layer", fmt::format("layer {} of {} has one MLP and no experts", layer, checkpoint->path()),
                   first == layers.end() ? "a mixture with experts in a layer"
                                         : fmt::format("another, such as {}", first - layers.begin()));
}

Routing layer_routing(const ModelTrace& model, std::int64_t layer, const CancelToken& cancel) {
  check_has_experts(model.checkpoint.get(), layer);
  const Checkpoint& checkpoint = *model.checkpoint;
  const Architecture& architecture = checkpoint.architecture();
  const Inputs& inputs = *kept_layer(model, layer).inputs;
  Tensor stream = embedded(checkpoint, inputs.token_ids, inputs.token_types, inputs.batch);
  for (std::int64_t below = 0; below < layer; ++below) {
    cancel.check();
    Tensor left = Tensor::zeros(stream.shape(), stream.axes());
    finish_layer(architecture, checkpoint.block(below),
                 {.stream = stream, .attention = added_by_attention(kept_layer(model, below)), .begin = 0},
                 *model.backend, cancel, left);
    stream = left;
  }
  const BlockWeights weights = checkpoint.block(layer);
  const Tensor attended = attended_rows(architecture, weights, stream, added_by_attention(kept_layer(model, layer)));
  return routing_of(*architecture.mixture, weights.experts->router,
                    mlp_input(architecture, weights, {stream, attended}), *model.backend, cancel);
}

}  // namespace headscope
