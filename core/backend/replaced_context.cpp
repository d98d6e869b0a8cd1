// The context of a row that is computed anew after tokens are replaced.
#include "core/backend/kernels/attention_products.h"
#include "core/backend/replaced_positions.h"
#include "core/backend/strided_rows.h"

namespace headscope {

std::vector<float> context_of(const UpdatedAttention::Row& row, const ReplacedPositions& replaced, const Mask& mask) {
  const std::int64_t shared = replaced.query.dim(1) / replaced.value.dim(1), kv_head = row.h / shared;
  const StridedRows value = rows_of(replaced.value, row.b, kv_head);
  const StridedRows changed = rows_of(replaced.new_value, row.b, kv_head);
  const auto features = static_cast<std::size_t>(value.features);
  std::vector<float> context(features, 0.0F), weights = row.weights;
  for (std::size_t n = 0; n < replaced.positions.size(); ++n) {
    const auto at = static_cast<std::int64_t>(n);
    float& weight = weights[static_cast<std::size_t>(replaced.positions[n])];
    add_weighted_rows(part_of(changed, at, at + 1), &weight, context.data());
    weight = 0;
  }
  std::vector<float> others = context;
  add_weighted_rows(value, weights.data(), others.data());
  if (all_finite(others.data(), value.features, 1, value.features)) return others;
  // Some value is not finite: key by key, without the hidden ones and those that were replaced.
  std::size_t next = 0;
  for (std::int64_t j = 0; j < value.count; ++j) {
    const bool was_replaced = next < replaced.positions.size() && replaced.positions[next] == j;
    if (was_replaced) ++next;
    const float& weight = weights[static_cast<std::size_t>(j)];
    if (was_replaced || (weight == 0.0F && mask.hidden.hidden(row.b, row.h, row.i, j))) continue;
    add_weighted_rows(part_of(value, j, j + 1), &weight, context.data());
  }
  return context;
}

}  // namespace headscope
