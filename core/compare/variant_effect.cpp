#include "core/compare/variant_effect.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/assert.h"

namespace headscope {
namespace {

constexpr double kOffOne = 1e-4;

// Sums, squares and NaN rows of one tensor, row by row.
struct Totals {
  double sum = 0, squares = 0;
  std::int64_t nan_rows = 0;
};

Totals totals_of(const std::vector<float>& values, std::size_t columns) {
  Totals totals;
  for (std::size_t at = 0; at < values.size(); at += columns) {
    bool nan = false;
    for (std::size_t k = at; k < at + columns; ++k) {
      const auto value = static_cast<double>(values[k]);
      nan = nan || std::isnan(value);
      if (!std::isfinite(value)) continue;
      totals.sum += value;
      totals.squares += value * value;
    }
    totals.nan_rows += nan ? 1 : 0;
  }
  return totals;
}

Index index_of(std::int64_t at, const Shape& shape) {
  Index index = shape;
  for (int axis = shape.count - 1; axis >= 0; --axis) {
    index[axis] = at % shape[axis];
    at /= shape[axis];
  }
  return index;
}

// With what learned sinks take of the rows, where there are any.
WeightSums row_sums(const Trace& trace) {
  WeightSums result;
  const Tensor& weights = trace.tensor(StageId::weights);
  const std::vector<float> values = weights.values();
  const Stage* sinks = trace.find(StageId::sink_weights);
  const std::vector<float> shares = sinks == nullptr ? std::vector<float>() : sinks->tensor.values();
  const auto columns = static_cast<std::size_t>(weights.dim(3));
  result.lowest = std::numeric_limits<double>::infinity();
  result.highest = -result.lowest;
  for (std::size_t at = 0; at < values.size(); at += columns) {
    double sum = shares.empty() ? 0 : static_cast<double>(shares[at / columns]);
    for (std::size_t k = at; k < at + columns; ++k) sum += static_cast<double>(values[k]);
    ++result.rows;
    if (std::isnan(sum)) {
      ++result.nan_rows;
      continue;
    }
    if (std::abs(sum - 1) > kOffOne) ++result.off;
    result.lowest = std::min(result.lowest, sum);
    result.highest = std::max(result.highest, sum);
  }
  if (result.rows == result.nan_rows) result.lowest = result.highest = std::nan("");
  return result;
}

}  // namespace

const StageDifference* VariantEffect::find(StageId stage) const {
  const auto found =
      std::find_if(stages.begin(), stages.end(), [=](const StageDifference& each) { return each.stage == stage; });
  return found == stages.end() ? nullptr : &*found;
}

StageDifference stage_difference(StageId stage, const Tensor& right, const Tensor& wrong) {
  StageDifference result;
  result.stage = stage;
  result.same_shape = right.shape() == wrong.shape();
  if (!result.same_shape) return result;
  const std::vector<float> a = right.values(), b = wrong.values();
  const auto columns = static_cast<std::size_t>(right.dim(right.rank() - 1));
  result.rows = columns == 0 ? 0 : static_cast<std::int64_t>(a.size() / columns);
  if (result.rows == 0) {
    result.equal = true;
    return result;
  }
  std::int64_t at = -1;
  result.equal = true;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]))) continue;
    result.equal = false;
    const double apart = std::abs(static_cast<double>(a[k]) - static_cast<double>(b[k]));
    if (at < 0 || apart > result.largest) at = static_cast<std::int64_t>(k);
    if (!std::isnan(apart)) result.largest = std::max(result.largest, apart);
  }
  if (at >= 0) result.cell = index_of(at, right.shape());
  const Totals of_right = totals_of(a, columns), of_wrong = totals_of(b, columns);
  result.right_norm = std::sqrt(of_right.squares);
  result.wrong_norm = std::sqrt(of_wrong.squares);
  result.right_sum = of_right.sum;
  result.wrong_sum = of_wrong.sum;
  result.right_nan_rows = of_right.nan_rows;
  result.wrong_nan_rows = of_wrong.nan_rows;
  return result;
}

VariantEffect variant_effect(const Trace& right, const Trace& wrong, const CancelToken& cancel) {
  VariantEffect effect;
  for (const Stage& stage : right.stages) {
    const Stage* other = wrong.find(stage.id);
    if (other == nullptr) continue;
    cancel.check();
    HEADSCOPE_ASSERT(stage.tensor.size() <= kMostEffectCells, to_string(stage.tensor.shape()));
    effect.stages.push_back(stage_difference(stage.id, stage.tensor, other->tensor));
    const StageDifference& made = effect.stages.back();
    if (!effect.first_different && (!made.same_shape || !made.equal)) effect.first_different = stage.id;
  }
  if (right.find(StageId::weights) != nullptr && wrong.find(StageId::weights) != nullptr) {
    effect.right_sums = row_sums(right);
    effect.wrong_sums = row_sums(wrong);
    effect.leak = mask_leak(right, wrong, cancel);
  }
  effect.concat_blocks = compare_blocks(right, wrong, StageId::concat);
  effect.split_blocks = compare_blocks(right, wrong, StageId::query);
  return effect;
}

}  // namespace headscope
