#include "core/explain/stream_parts.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <utility>

#include "core/attention/model_stages.h"
#include "core/attention/patches.h"
#include "core/base/error.h"
#include "core/explain/held_norm.h"
#include "core/model/checkpoint.h"
#include "core/model/stack.h"

namespace headscope {
namespace {

// What arrays change in the stream that enters a layer.
AttributionPart array_part(const ModelStep& step, const LayerRow& row, const std::vector<double>& direction) {
  return {"array", step.layer, {}, {}, dot(direction, row.entered)};
}

// What a layer adds, and the direction of its result, which becomes that of its input.
std::vector<AttributionPart> layer_parts(const StreamWalk& walk, const ModelStep& step, const LayerRow& row,
                                         std::vector<double>& direction, const CancelToken& cancel) {
  const Trace& trace = *step.attention;
  const std::int64_t layer = step.layer;
  const Architecture& architecture = trace.inputs->checkpoint->architecture();
  const BlockWeights weights = trace.inputs->checkpoint->block(layer);
  const bool after_sum = architecture.norm_place == Architecture::NormPlace::after_sum;
  std::vector<AttributionPart> later, norm_bias, last;
  if (!row.convolved.empty()) {
    go_before(row_norm_of(architecture, weights.convolution_norm), row.joined,
              {"convolution norm bias", layer, {}, {}, 0}, direction, norm_bias);
    last.push_back({"convolution", layer, {}, {}, dot(direction, row.convolved)});
    last.insert(last.end(), norm_bias.begin(), norm_bias.end());
    norm_bias.clear();
  }
  if (!row.mlp.empty()) {
    if (after_sum) {
      go_before(row_norm_of(architecture, weights.mlp_norm), row.summed, {"mlp norm bias", layer, {}, {}, 0}, direction,
                norm_bias);
    }
    later.push_back({"mlp", layer, {}, {}, dot(direction, row.mlp)});
    later.insert(later.end(), norm_bias.begin(), norm_bias.end());
    norm_bias.clear();
  }
  if (after_sum) {
    go_before(row_norm_of(architecture, weights.attention_norm), row.attended,
              {attention_part_names(trace).norm_bias, layer, {}, {}, 0}, direction, norm_bias);
  }
  std::vector<AttributionPart> parts = attention_parts({trace, walk.position, walk.by}, direction, cancel);
  if (!row.entered.empty()) parts.insert(parts.begin(), array_part(step, row, direction));
  parts.insert(parts.end(), norm_bias.begin(), norm_bias.end());
  parts.insert(parts.end(), later.begin(), later.end());
  parts.insert(parts.end(), last.begin(), last.end());
  return parts;
}

// Takes the direction back through the projection of narrow embeddings, where there is one: W^T direction.
void go_before_projection(const Linear& projection, std::vector<double>& direction,
                          std::vector<AttributionPart>& parts) {
  if (projection.empty()) return;
  if (!projection.bias.empty()) {
    const std::vector<float> bias = projection.bias.values();
    parts.push_back({"embedding projection bias", {}, {}, {}, dot(direction, bias)});
  }
  const std::int64_t width = projection.weight.dim(1);
  std::vector<double> before(static_cast<std::size_t>(width));
  std::vector<float> row(before.size());
  for (std::size_t out = 0; out < direction.size(); ++out) {
    const auto at = static_cast<std::int64_t>(out);
    projection.weight.read({{at, at + 1}, {0, width}}, row);
    for (std::size_t d = 0; d < before.size(); ++d) before[d] += direction[out] * static_cast<double>(row[d]);
  }
  direction = std::move(before);
}

std::vector<AttributionPart> embedding_parts(const StreamWalk& walk, std::vector<double>& direction) {
  const StreamRow& row = walk.row;
  const EmbeddingWeights weights = walk.model.checkpoint->embedding();
  const Architecture& architecture = walk.model.checkpoint->architecture();
  std::vector<AttributionPart> norm_bias;
  const RowNorm norm = row_norm_of(architecture, weights.norm);
  const AttributionPart bias{"embedding norm bias", {}, {}, {}, 0};
  if (architecture.projected_first) {
    const auto features = static_cast<std::int64_t>(row.embedded.size());
    const Tensor sum = Tensor::of({1, 1, features}, {Axis::batch, Axis::position, Axis::feature}, row.embedded);
    go_before(norm, projected_embedding(weights, sum).values(), bias, direction, norm_bias);
    go_before_projection(weights.projection, direction, norm_bias);
  } else {
    go_before_projection(weights.projection, direction, norm_bias);
    go_before(norm, row.embedded, bias, direction, norm_bias);
  }
  std::vector<AttributionPart> parts = {{"embedding", {}, {}, {}, dot(direction, row.word)}};
  if (!row.token_type.empty()) parts.push_back({"token types", {}, {}, {}, dot(direction, row.token_type)});
  if (!row.position.empty()) parts.push_back({"positions", {}, {}, {}, dot(direction, row.position)});
  parts.insert(parts.end(), norm_bias.begin(), norm_bias.end());
  return parts;
}

}  // namespace

void check_stream_parts(const ModelTrace& model) {
  check_layers_kept("phrase", model);
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    if (!has_patches(model.layers[layer]->request, static_cast<std::int64_t>(layer), kStreamPatch)) continue;
    throw UsageError("patch",
                     fmt::format("the stream of layer {} is that of another run, which nothing here wrote", layer),
                     "patches of stages");
  }
}

void go_before(const RowNorm& norm, const std::vector<float>& x, const AttributionPart& bias,
               std::vector<double>& direction, std::vector<AttributionPart>& parts) {
  const HeldNorm held(norm, x);
  if (held.has_bias()) {
    parts.push_back(bias);
    parts.back().value = held.of_bias(direction);
  }
  direction = held.before(direction);
}

std::vector<AttributionPart> stream_parts(const StreamWalk& walk, std::int64_t steps, std::vector<double>& direction,
                                          const CancelToken& cancel) {
  const std::vector<ModelStep> all = model_steps(walk.model);
  // From the last step back to the first; each group is in the order of computation.
  std::vector<std::vector<AttributionPart>> groups;
  const auto entered = static_cast<std::size_t>(steps);
  if (entered < all.size() && !walk.row.layers[entered].entered.empty()) {
    groups.push_back({array_part(all[entered], walk.row.layers[entered], direction)});
  }
  for (auto at = static_cast<std::size_t>(steps); at-- > 0;) {
    cancel.check();
    groups.push_back(layer_parts(walk, all[at], walk.row.layers[at], direction, cancel));
  }
  groups.push_back(embedding_parts(walk, direction));
  std::vector<AttributionPart> parts;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    parts.insert(parts.end(), group->begin(), group->end());
  }
  return parts;
}

}  // namespace headscope
