#include "core/model/relative_positions.h"

#include <utility>
#include <vector>

#include "core/model/position_tables.h"
#include "core/model/stack.h"

namespace headscope {

std::int64_t RelativePositions::row_of(std::int64_t i, std::int64_t j) const {
  return relative_row(rule, i - j) - first;
}

std::shared_ptr<const RelativePositions> relative_positions_of(const Architecture& architecture,
                                                               const EmbeddingWeights& weights, std::int64_t len) {
  auto positions = std::make_shared<RelativePositions>();
  positions->rule = *architecture.disentangled;
  // Rows grow with the distance, so that those between the two ends are all that a text reads.
  positions->first = relative_row(positions->rule, 1 - len);
  const Range rows{positions->first, relative_row(positions->rule, len - 1) + 1};
  const std::int64_t width = weights.relative_positions.dim(1);
  std::vector<float> values(static_cast<std::size_t>(rows.size() * width));
  weights.relative_positions.read({rows, {0, width}}, values);
  Tensor table = Tensor::of({1, rows.size(), width}, {Axis::batch, Axis::position, Axis::feature}, std::move(values));
  if (!weights.relative_norm.empty()) norm_rows(architecture, weights.relative_norm, table, 0, table);
  positions->rows = std::move(table);
  return positions;
}

}  // namespace headscope
