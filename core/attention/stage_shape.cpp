// The shapes of stages before they are there: what an edit's place is checked against.
#include "core/attention/interventions.h"
#include "core/attention/projection_steps.h"
#include "core/attention/score_rule_of.h"
#include "core/base/assert.h"
#include "core/model/past.h"
#include "core/model/relative_positions.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

// Whether the request has such a stage.
bool has_stage(const Request& request, const Inputs& inputs, StageWhen when) {
  const bool vectors = inputs.query.empty(), cross = !inputs.key_x.empty();
  const bool fused = vectors && inputs.weights.fused() && !cross;
  const bool per_head = fused && read_layout_of(request, inputs.weights) == QkvLayout::per_head;
  switch (when) {
    case StageWhen::always:
      return true;
    case StageWhen::vectors:
      return vectors;
    case StageWhen::cross:
      return vectors && cross;
    case StageWhen::fused:
      return fused;
    case StageWhen::per_head:
      return per_head;
    case StageWhen::projected:
      return vectors && !per_head;
    case StageWhen::c2p:
      return inputs.relative_positions != nullptr && inputs.relative_positions->rule.c2p;
    case StageWhen::p2c:
      return inputs.relative_positions != nullptr && inputs.relative_positions->rule.p2c;
    case StageWhen::softcap:
      return softcap_of(request, inputs).has_value();
    case StageWhen::dropout:
      return request.dropout > 0 || !inputs.dropout_mask.empty();
    case StageWhen::captured:
      return false;  // nothing of a capture is edited
    case StageWhen::output:
      return vectors && !inputs.weights.output.empty();
    case StageWhen::sinks:
      return !inputs.weights.sinks.empty() && !has_variant(request, Variant::softmax_over_queries);
    case StageWhen::output_norm:
      return vectors && !inputs.weights.output.empty() && inputs.output_norm != nullptr;
  }
  HEADSCOPE_ASSERT(false, std::to_string(static_cast<int>(when)));
  return false;
}

// The number that a symbol stands for. Those of vectors and projections need a request that has them.
std::int64_t size_of(const Inputs& inputs, StageSize size) {
  switch (size) {
    case StageSize::batch:
      return inputs.batch;
    case StageSize::queries:
      return inputs.query_len;
    case StageSize::key_tokens:
      return inputs.key_len - past_len(inputs);
    case StageSize::keys:
      return inputs.key_len + (inputs.weights.bias_k.empty() ? 0 : 1);
    case StageSize::heads:
      return inputs.num_heads;
    case StageSize::kv_heads:
      return inputs.num_kv_heads;
    case StageSize::head_dim:
      return inputs.head_dim;
    case StageSize::value_head_dim:
      return inputs.value_head_dim;
    case StageSize::head_qkv:
      return 3 * inputs.head_dim;
    case StageSize::input_dim:
      return inputs.x.dim(2);
    case StageSize::key_input_dim:
      return inputs.key_x.dim(2);
    case StageSize::value_input_dim:
      return (inputs.value_x.empty() ? inputs.key_x : inputs.value_x).dim(2);
    case StageSize::qkv_rows:
      return inputs.weights.qkv.weight.dim(0);
    case StageSize::query_features:
      return part_features(inputs, Part::query);
    case StageSize::key_features:
      return part_features(inputs, Part::key);
    case StageSize::value_features:
      return part_features(inputs, Part::value);
    case StageSize::concat_features:
      return inputs.num_heads * inputs.value_head_dim;
    case StageSize::output_rows:
      return inputs.weights.output.weight.dim(0);
  }
  HEADSCOPE_ASSERT(false, std::to_string(static_cast<int>(size)));
  return 0;
}

}  // namespace

std::optional<Shape> stage_shape(const Request& request, const Inputs& inputs, StageId stage) {
  const StageInfo& info = stage_info(stage);
  if (!has_stage(request, inputs, info.when)) return {};
  Shape shape;
  for (const StageAxis& axis : info.axes) shape.push_back(size_of(inputs, axis.size));
  return shape;
}

}  // namespace headscope
