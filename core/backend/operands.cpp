#include "core/backend/operands.h"

#include <limits>

#include "core/base/assert.h"

namespace headscope {

LinearSizes linear_sizes(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  HEADSCOPE_ASSERT(x.rank() == 3 && weight.rank() == 2 && x.dim(2) == weight.dim(1),
                   to_string(x.shape()) + " with weight " + to_string(weight.shape()));
  HEADSCOPE_ASSERT(bias.empty() || (bias.rank() == 1 && bias.dim(0) == weight.dim(0)),
                   "bias " + to_string(bias.shape()) + " with weight " + to_string(weight.shape()));
  return {x.dim(0), x.dim(1), x.dim(2), weight.dim(0)};
}

ScoreSizes score_sizes(const Tensor& query, const Tensor& key, const Region& region) {
  const bool fit = query.rank() == 4 && key.rank() == 4 && query.dim(0) == key.dim(0) && query.dim(3) == key.dim(3) &&
                   key.dim(1) > 0 && query.dim(1) % key.dim(1) == 0;
  HEADSCOPE_ASSERT(fit, "query " + to_string(query.shape()) + " and key " + to_string(key.shape()));
  const Shape all{query.dim(0), query.dim(1), query.dim(2), key.dim(2)};
  HEADSCOPE_ASSERT(region.count == 4, "region of rank " + std::to_string(region.count));
  for (int axis = 0; axis < 4; ++axis) {
    HEADSCOPE_ASSERT(0 <= region[axis].begin && region[axis].begin <= region[axis].end && region[axis].end <= all[axis],
                     "axis " + std::to_string(axis) + " of " + to_string(all));
  }
  return {all[0], all[1], all[2], all[3], query.dim(3), query.dim(1) / key.dim(1)};
}

ContextSizes context_sizes(const Tensor& weights, const Tensor& value, const HiddenCells& hidden) {
  const bool fit = weights.rank() == 4 && value.rank() == 4 && weights.dim(0) == value.dim(0) && value.dim(1) > 0 &&
                   weights.dim(1) % value.dim(1) == 0 && weights.dim(3) == value.dim(2);
  HEADSCOPE_ASSERT(fit, "weights " + to_string(weights.shape()) + " and value " + to_string(value.shape()));
  HEADSCOPE_ASSERT(hidden.query_len() == weights.dim(2) && hidden.key_len() == weights.dim(3),
                   "hidden cells " + to_string(Shape{hidden.query_len(), hidden.key_len()}) + " and weights " +
                       to_string(weights.shape()));
  return {weights.dim(0), weights.dim(1), weights.dim(2), weights.dim(3), value.dim(3), weights.dim(1) / value.dim(1)};
}

RowStatistics sized_row_statistics(const Shape& scores) {
  const Shape rows{scores[0], scores[1], scores[2]};
  const Axes axes{Axis::batch, Axis::head, Axis::query};
  return {Tensor::zeros(rows, axes), Tensor::zeros(rows, axes)};
}

float plain_nan() {
  return std::numeric_limits<float>::quiet_NaN();
}

}  // namespace headscope
