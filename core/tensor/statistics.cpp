#include "core/tensor/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "core/base/assert.h"
#include "core/tensor/block_sums.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

constexpr std::size_t kBlock = kStatisticsBlock;

// Calls `visit` with the tensor's values in row-major order, block by block; never holds the whole.
template <typename Visit>
void visit_region(const Tensor& tensor, const Region& region, int axis, std::vector<float>& buffer, Visit&& visit) {
  const std::int64_t count = element_count(region);
  if (count == 0) return;
  const std::int64_t piece = tensor.stored() ? kStoredPiece : kComputedPiece;
  if (count <= piece) {
    buffer.resize(static_cast<std::size_t>(count));
    tensor.read(region, buffer);
    visit(std::span<const float>(buffer));
    return;
  }
  const Range range = region[axis];
  const std::int64_t step = std::max<std::int64_t>(1, piece / (count / range.size()));
  for (std::int64_t begin = range.begin; begin < range.end; begin += step) {
    Region part = region;
    part[axis] = {begin, std::min(range.end, begin + step)};
    visit_region(tensor, part, axis + 1 < region.count ? axis + 1 : axis, buffer, visit);
  }
}

template <typename Visit>
void visit_values(const Tensor& tensor, Visit&& visit) {
  if (tensor.empty()) return;
  if (tensor.dense()) {
    visit(std::span<const float>(tensor.data(), static_cast<std::size_t>(tensor.size())));
    return;
  }
  std::vector<float> buffer;
  visit_region(tensor, whole(tensor.shape()), 0, buffer, visit);
}

}  // namespace

void StatisticsSum::add(std::span<const float> values) {
  if (!rest_.empty()) {
    const std::size_t more = std::min(values.size(), kBlock - rest_.size());
    const std::size_t before = rest_.size();
    rest_.resize(before + more);
    std::copy_n(values.begin(), more, rest_.begin() + static_cast<std::ptrdiff_t>(before));
    values = values.subspan(more);
    if (rest_.size() < kBlock) return;
    const StatisticsBlock whole = statistics_block(rest_);
    rest_.clear();
    add(whole);
  }
  for (; values.size() >= kBlock; values = values.subspan(kBlock)) add(statistics_block(values.first(kBlock)));
  rest_.assign(values.begin(), values.end());
}

StatisticsBlock statistics_block(std::span<const float> values) {
  const auto first = std::find_if(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
  const float origin = first != values.end() ? *first : 0.0F;
  return {sums_of_block(values.data(), values.size(), origin), origin, static_cast<std::int64_t>(values.size())};
}

void StatisticsSum::add(const StatisticsBlock& whole) {
  HEADSCOPE_ASSERT(rest_.empty(), std::to_string(rest_.size()) + " values before a block");
  const BlockSums& block = whole.sums;
  const float origin = whole.origin;
  nan_ += block.nan;
  inf_ += whole.count - block.finite - block.nan;
  if (block.finite == 0) return;
  // Two means become one by their distance (Chan, Golub, LeVeque 1979): a common offset drowns nothing.
  const double own = static_cast<double>(block.finite), before = static_cast<double>(finite_);
  const double share = block.deviations / own;
  const double distance = origin + share - mean_;
  finite_ += block.finite;
  mean_ = before == 0 ? origin + share : mean_ + distance * (own / (before + own));
  squares_ += std::max(0.0, block.squares - block.deviations * share);
  if (before > 0) squares_ += distance * distance * (before * own / (before + own));
  low_ = std::min(low_, block.low);
  high_ = std::max(high_, block.high);
}

Statistics StatisticsSum::result() const {
  if (!rest_.empty()) {
    StatisticsSum whole = *this;
    whole.rest_.clear();
    whole.add(statistics_block(rest_));
    return whole.result();
  }
  Statistics result;
  result.count = finite_ + nan_ + inf_;
  result.nan_count = nan_;
  result.inf_count = inf_;
  if (finite_ == 0) {
    result.min = result.max = result.mean = result.std = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  const double n = static_cast<double>(finite_);
  result.min = low_;
  result.max = high_;
  result.mean = mean_;
  result.std = std::sqrt(squares_ / n);
  result.l2_norm = std::sqrt(squares_ + n * mean_ * mean_);
  return result;
}

Statistics statistics_of(const Tensor& tensor) {
  StatisticsSum sum;
  visit_values(tensor, [&](std::span<const float> values) { sum.add(values); });
  return sum.result();
}

Histogram histogram_of(const Tensor& tensor, int bins) {
  HEADSCOPE_ASSERT(bins > 0, std::to_string(bins) + " bins");
  Histogram histogram;
  histogram.counts.assign(static_cast<std::size_t>(bins), 0);
  float low = std::numeric_limits<float>::infinity();
  float high = -low;
  visit_values(tensor, [&](std::span<const float> values) {
    for (float value : values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  });
  if (low > high) return histogram;
  histogram.low = low;
  histogram.high = high;
  const double bins_per_unit = histogram.high > histogram.low ? bins / (histogram.high - histogram.low) : 0.0;
  visit_values(tensor, [&](std::span<const float> values) {
    for (float value : values) {
      if (!std::isfinite(value)) continue;
      const double bin = std::floor((value - histogram.low) * bins_per_unit);
      ++histogram.counts[static_cast<std::size_t>(std::clamp(bin, 0.0, static_cast<double>(bins - 1)))];
    }
  });
  return histogram;
}

}  // namespace headscope
