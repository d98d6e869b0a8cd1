#include "core/tensor/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/assert.h"

namespace headscope {
namespace {

constexpr std::int64_t kBlock = std::int64_t{1} << 16;  // values read at a time

// Calls `visit` with the tensor's values in row-major order, block by block; never holds the whole.
template <typename Visit>
void visit_region(const Tensor& tensor, const Region& region, int axis, std::vector<float>& buffer, Visit&& visit) {
  const std::int64_t count = element_count(region);
  if (count == 0) return;
  if (count <= kBlock) {
    buffer.resize(static_cast<std::size_t>(count));
    tensor.read(region, buffer);
    visit(std::span<const float>(buffer));
    return;
  }
  const Range range = region[axis];
  const std::int64_t step = std::max<std::int64_t>(1, kBlock / (count / range.size()));
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

Statistics statistics_of(const Tensor& tensor) {
  Statistics result;
  result.count = tensor.size();
  std::int64_t finite = 0;
  float low = std::numeric_limits<float>::infinity();
  float high = -low;
  double origin = 0, sum = 0, sum_of_squares = 0, norm = 0;
  visit_values(tensor, [&](std::span<const float> values) {
    for (float value : values) {
      if (std::isnan(value)) {
        ++result.nan_count;
        continue;
      }
      if (std::isinf(value)) {
        ++result.inf_count;
        continue;
      }
      // Sums about the first value, so that a large common offset does not drown the deviation.
      if (finite == 0) origin = value;
      const double deviation = value - origin;
      sum += deviation;
      sum_of_squares += deviation * deviation;
      norm += static_cast<double>(value) * value;
      low = std::min(low, value);
      high = std::max(high, value);
      ++finite;
    }
  });
  if (finite == 0) {
    result.min = result.max = result.mean = result.std = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  const double n = static_cast<double>(finite);
  const double mean_deviation = sum / n;
  result.min = low;
  result.max = high;
  result.mean = origin + mean_deviation;
  result.std = std::sqrt(std::max(0.0, sum_of_squares / n - mean_deviation * mean_deviation));
  result.l2_norm = std::sqrt(norm);
  return result;
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
