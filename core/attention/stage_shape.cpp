// The shapes of stages before they are there: what an edit's place is checked against.
#include "core/attention/interventions.h"
#include "core/attention/projection_steps.h"
#include "core/base/assert.h"

namespace headscope {
namespace {

// Whether query, key and value are slices of every head's own features.
bool in_head_slices(const Request& request, const Inputs& inputs) {
  return inputs.weights.fused() && inputs.key_x.empty() &&
         read_layout_of(request, inputs.weights) == QkvLayout::per_head;
}

Shape scores_shape(const Inputs& inputs) {
  return {inputs.batch, inputs.num_heads, inputs.query_len, inputs.key_len + (inputs.weights.bias_k.empty() ? 0 : 1)};
}

std::optional<Shape> projected_shape(const Request& request, const Inputs& inputs, StageId stage) {
  const bool alone = !inputs.query.empty();
  const bool cross = !inputs.key_x.empty();
  if (alone) return {};
  const auto projection = [&](Part part, std::int64_t len) -> std::optional<Shape> {
    if (in_head_slices(request, inputs)) return {};
    return Shape{inputs.batch, len, part_features(inputs, part)};
  };
  switch (stage) {
    case StageId::input:
      return inputs.x.shape();
    case StageId::key_input:
      return cross ? std::optional(inputs.key_x.shape()) : std::nullopt;
    case StageId::value_input:
      return !cross ? std::nullopt : std::optional((inputs.value_x.empty() ? inputs.key_x : inputs.value_x).shape());
    case StageId::qkv:
      if (!inputs.weights.fused() || cross) return {};
      return Shape{inputs.batch, inputs.query_len, inputs.weights.qkv.weight.dim(0)};
    case StageId::qkv_split:
      if (!in_head_slices(request, inputs)) return {};
      return Shape{inputs.batch, inputs.query_len, inputs.num_heads, 3 * inputs.head_dim};
    case StageId::qkv_heads:
      if (!in_head_slices(request, inputs)) return {};
      return Shape{inputs.batch, inputs.num_heads, inputs.query_len, 3 * inputs.head_dim};
    case StageId::query_proj:
      return projection(Part::query, inputs.query_len);
    case StageId::key_proj:
      return projection(Part::key, inputs.key_len);
    case StageId::value_proj:
      return projection(Part::value, inputs.key_len);
    case StageId::output:
      if (inputs.weights.output.empty()) return {};
      return Shape{inputs.batch, inputs.query_len, inputs.weights.output.weight.dim(0)};
    default:
      HEADSCOPE_ASSERT(false, std::string(stage_name(stage)));
      return {};
  }
}

}  // namespace

std::optional<Shape> stage_shape(const Request& request, const Inputs& inputs, StageId stage) {
  const Shape scores = scores_shape(inputs);
  switch (stage) {
    case StageId::query:
      return Shape{inputs.batch, inputs.num_heads, inputs.query_len, inputs.head_dim};
    case StageId::key:
      return Shape{inputs.batch, inputs.num_kv_heads, scores[3], inputs.head_dim};
    case StageId::value:
      return Shape{inputs.batch, inputs.num_kv_heads, scores[3], inputs.value_head_dim};
    case StageId::raw_scores:
    case StageId::scores:
    case StageId::masked_scores:
    case StageId::weights:
      return scores;
    case StageId::capped_scores:
      return request.softcap ? std::optional(scores) : std::nullopt;
    case StageId::dropped_weights:
      return request.dropout > 0 || !inputs.dropout_mask.empty() ? std::optional(scores) : std::nullopt;
    case StageId::context:
      return Shape{inputs.batch, inputs.num_heads, inputs.query_len, inputs.value_head_dim};
    case StageId::concat:
      return Shape{inputs.batch, inputs.query_len, inputs.num_heads * inputs.value_head_dim};
    default:
      return projected_shape(request, inputs, stage);
  }
}

}  // namespace headscope
