#include "core/attention/position_scores.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/interventions.h"
#include "core/attention/operation_text.h"
#include "core/attention/patches.h"
#include "core/attention/projection_steps.h"
#include "core/model/relative_positions.h"

namespace headscope {
namespace {

const Axes kCells{Axis::batch, Axis::head, Axis::query, Axis::key};

Tensor projected_positions(const Inputs& inputs, const Linear& own, const Linear& shared, const Backend& backend,
                           const CancelToken& cancel) {
  const RelativePositions& positions = *inputs.relative_positions;
  const Linear& linear = positions.rule.own_projections ? own : shared;
  const Tensor rows = backend.linear(positions.rows, linear.weight, linear.bias, cancel);
  const Tensor heads = split_heads(rows, inputs.num_heads).dense_copy();
  return heads.reshaped({heads.dim(1), heads.dim(2), heads.dim(3)}, {Axis::head, Axis::position, Axis::feature});
}

// Head h of batch item b, [1, 1, rows, features].
Tensor one_head(const Tensor& heads, std::int64_t b, std::int64_t h) {
  return heads.sliced(0, b, b + 1).sliced(1, h, h + 1);
}

// Every vector of `content` [batch, heads, len, features] times those of the positions [heads, count, features]; of
// c2p the vectors are queries, of p2c keys.
Tensor gathered_products(const Trace& trace, StageId stage, const Tensor& content, const Tensor& positions,
                         const Backend& backend, const CancelToken& cancel) {
  const RelativePositions& rows = *trace.inputs->relative_positions;
  const std::int64_t batch = content.dim(0), heads = content.dim(1), len = content.dim(2), count = positions.dim(1);
  const Tensor others =
      positions.reshaped({1, heads, count, positions.dim(2)}, {Axis::batch, Axis::head, Axis::position, Axis::feature});
  // Which column of the products a distance i - j reads, from -(len - 1) on.
  std::vector<std::int64_t> column;
  for (std::int64_t distance = 1 - len; distance < len; ++distance) column.push_back(rows.row_of(distance, 0));
  Tensor result = Tensor::zeros({batch, heads, len, len}, kCells);
  float* to = result.mutable_data();
  for (std::int64_t matrix = 0; matrix < batch * heads; ++matrix) {
    const std::int64_t b = matrix / heads, h = matrix % heads;
    const Tensor products = backend.query_key_products(one_head(content, b, h), one_head(others, 0, h),
                                                       {{0, 1}, {0, 1}, {0, len}, {0, count}}, cancel);
    const float* from = products.data();
    for (std::int64_t i = 0; i < len; ++i) {
      for (std::int64_t j = 0; j < len; ++j) {
        const std::int64_t own = stage == StageId::c2p ? i : j;
        const float product = from[own * count + column[static_cast<std::size_t>(i - j + len - 1)]];
        *to++ = static_cast<float>(product * trace.scale);
      }
    }
  }
  return result;
}

Tensor add_part(TraceBuilder& builder, StageId stage, const Tensor& content, const Tensor& positions,
                const Backend& backend) {
  const Trace& trace = builder.trace();
  const std::string scaling = trace.scale == 1.0 ? "" : " " + scale_text(trace.request, *trace.inputs, trace.scale);
  const char* product = stage == StageId::c2p ? "q · keys of positionsᵀ" : "k · queries of positionsᵀ";
  return builder.add(stage, product + scaling, [&] {
    const Tensor made = gathered_products(trace, stage, content, positions, backend, builder.cancel());
    const Tensor changed = with_changes(trace.request, *trace.inputs, builder.layer(), stage_name(stage), made);
    return with_edits(edits_of(trace.request, builder.layer(), stage), changed);
  });
}

// What terms of the mask add, and the stages of positions, in this order.
std::shared_ptr<const Mask> mask_with(const Mask& mask, const std::vector<Tensor>& parts) {
  auto result = std::make_shared<Mask>(mask);
  const Shape shape = parts.front().shape();
  Tensor sum = Tensor::zeros(shape, kCells);
  float* const begin = sum.mutable_data();
  for (const Tensor& part : parts) {
    const std::vector<float> values = part.values();
    std::transform(values.begin(), values.end(), begin, begin, [](float value, float to) { return to + value; });
  }
  const Tensor& added = mask.added;
  for (std::int64_t row = 0; !added.empty() && row < shape[0] * shape[1] * shape[2]; ++row) {
    const std::int64_t b = row / shape[2] / shape[1], h = row / shape[2] % shape[1], i = row % shape[2];
    const std::int64_t matrix = (added.dim(0) == 1 ? 0 : b) * added.dim(1) + (added.dim(1) == 1 ? 0 : h);
    const float* from = added.data() + (matrix * added.dim(2) + i) * added.dim(3);
    for (std::int64_t j = 0; j < shape[3]; ++j) begin[row * shape[3] + j] += from[j];
  }
  result->added = std::move(sum);
  return result;
}

}  // namespace

PositionHeads position_heads_of(const Inputs& inputs, const Backend& backend, const CancelToken& cancel) {
  const DisentangledRule& rule = inputs.relative_positions->rule;
  const LayerWeights& weights = inputs.weights;
  PositionHeads heads;
  if (rule.c2p) heads.keys = projected_positions(inputs, weights.position_key, weights.key, backend, cancel);
  if (rule.p2c) heads.queries = projected_positions(inputs, weights.position_query, weights.query, backend, cancel);
  return heads;
}

void add_position_scores(TraceBuilder& builder, const Heads& heads, const Backend& backend) {
  Trace& trace = builder.trace();
  if (trace.inputs->relative_positions == nullptr) return;
  const auto positions =
      std::make_shared<const PositionHeads>(position_heads_of(*trace.inputs, backend, builder.cancel()));
  trace.position_heads = positions;
  std::vector<Tensor> parts;
  if (!positions->keys.empty()) {
    parts.push_back(add_part(builder, StageId::c2p, heads.query, positions->keys, backend));
  }
  if (!positions->queries.empty()) {
    parts.push_back(add_part(builder, StageId::p2c, heads.key, positions->queries, backend));
  }
  trace.mask_of_terms = trace.mask;
  trace.mask = mask_with(*trace.mask, parts);
}

}  // namespace headscope
