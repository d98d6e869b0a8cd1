// From values to entries of the colour table: shared ranges, ranges of a row, logarithms.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/picture/heatmap.h"

namespace headscope {

namespace {

// Calls visit(leading, row, values) for every row (the last axis) of a tensor; `leading` are the indices of the axes
// before the last two.
template <typename Visit>
void for_each_row(const Tensor& tensor, const Visit& visit) {
  if (tensor.size() == 0) return;
  const int last = tensor.rank() - 1;
  const std::int64_t columns = tensor.dim(last), rows = last > 0 ? tensor.dim(last - 1) : 1;
  const std::int64_t strip = std::clamp<std::int64_t>((std::int64_t{1} << 18) / columns, 1, rows);
  std::vector<float> values(static_cast<std::size_t>(strip * columns));
  Index leading;
  std::int64_t matrices = 1;
  for (int axis = 0; axis < last - 1; ++axis) {
    leading.push_back(0);
    matrices *= tensor.dim(axis);
  }
  for (std::int64_t k = 0; k < matrices; ++k) {
    for (std::int64_t left = k, axis = last - 2; axis >= 0; --axis) {
      leading[static_cast<int>(axis)] = left % tensor.dim(static_cast<int>(axis));
      left /= tensor.dim(static_cast<int>(axis));
    }
    for (std::int64_t begin = 0; begin < rows; begin += strip) {
      const std::int64_t end = std::min(begin + strip, rows);
      Region region;
      for (const std::int64_t index : leading) region.push_back({index, index + 1});
      if (last > 0) region.push_back({begin, end});
      region.push_back({0, columns});
      const std::span<float> part(values.data(), static_cast<std::size_t>((end - begin) * columns));
      tensor.read(region, part);
      for (std::int64_t i = begin; i < end; ++i) {
        visit(leading, i,
              part.subspan(static_cast<std::size_t>((i - begin) * columns), static_cast<std::size_t>(columns)));
      }
    }
  }
}

// The smallest and largest finite, visible value; low > high when there is none.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void include(std::span<const float> values, const std::uint8_t* hidden) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (!std::isfinite(values[j]) || (hidden != nullptr && hidden[j] != 0)) continue;
      low = std::min(low, static_cast<double>(values[j]));
      high = std::max(high, static_cast<double>(values[j]));
    }
  }
  bool empty() const { return low > high; }
  double largest() const { return std::max(std::fabs(low), std::fabs(high)); }
};

ValueRange row_range(const Extent& extent, bool diverging, bool log_scale) {
  if (extent.empty()) return {0, 1, log_scale, true};
  if (diverging && extent.largest() > 0) return {-extent.largest(), extent.largest(), log_scale, true};
  if (diverging) return {-1, 1, log_scale, true};
  if (extent.high > extent.low) return {extent.low, extent.high, log_scale, true};
  if (extent.high > 0) return {0, extent.high, log_scale, true};
  return {extent.low, extent.low + 1, log_scale, true};
}

}  // namespace

int ValueScale::entry(float v) const {
  if (log) {
    if (!(v > 0)) return 0;
    return static_cast<int>(std::floor(std::clamp((std::log2(v) - low) * scale, 0.0F, 255.0F) + 0.5F));
  }
  return static_cast<int>(std::clamp(std::floor((v - low) * scale + offset), 0.0F, 255.0F));
}

ValueScale value_scale(const ValueRange& range) {
  constexpr float kSteep = 1e30F;  // every difference from `low` goes to an end
  if (range.log_scale) {
    if (!(range.high > 0) || !std::isfinite(range.high)) return {0, 0, 0.5F, true};
    const double floor = std::fmax(std::isfinite(range.low) ? range.low : 0, range.high * 1e-6);
    const double octaves = std::log2(range.high / floor);
    return {static_cast<float>(std::log2(floor)), octaves > 0 ? static_cast<float>(255 / octaves) : kSteep, 0.5F, true};
  }
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.high <= range.low) {
    return {std::isfinite(range.low) ? static_cast<float>(range.low) : 0.0F, kSteep, 128.5F, false};
  }
  // A span below 1e-36 must not give an infinite scale: 0 times it would be NaN.
  const double scale = std::fmin(255 / (range.high - range.low), std::numeric_limits<float>::max());
  return {static_cast<float>(range.low), static_cast<float>(scale), 0.5F, false};
}

std::vector<ValueScale> row_scales(const HeatmapSpec& spec, std::int64_t begin, std::int64_t end) {
  std::vector<ValueScale> scales;
  std::vector<float> values(static_cast<std::size_t>(spec.matrix.dim(1)));
  std::vector<std::uint8_t> hidden(spec.mask ? values.size() : 0);
  for (std::int64_t i = begin; i < end; ++i) {
    spec.matrix.read(Region{{i, i + 1}, {0, spec.matrix.dim(1)}}, values);
    Extent extent;
    if (spec.mask) spec.mask->hidden.read_row(spec.batch, spec.head, i, hidden);
    extent.include(values, spec.mask ? hidden.data() : nullptr);
    scales.push_back(value_scale(row_range(extent, is_diverging(spec.map), spec.range.log_scale)));
  }
  return scales;
}

ValueRange automatic_range(const Tensor& tensor, bool weight_like, bool signed_data, const Mask* mask,
                           std::int64_t batch, std::int64_t head) {
  Extent extent;
  std::vector<std::uint8_t> hidden;
  for_each_row(tensor, [&](const Index& leading, std::int64_t row, std::span<const float> values) {
    const bool masked = mask != nullptr && (leading.count == 2 || leading.count == 0);
    if (masked) {
      const bool whole_stage = leading.count == 2;
      hidden.resize(values.size());
      mask->hidden.read_row(whole_stage ? leading[0] : batch, whole_stage ? leading[1] : head, row, hidden);
    }
    extent.include(values, masked ? hidden.data() : nullptr);
  });
  // A row sum rounded up must not turn the end of the scale from 1 to 1.0000001.
  constexpr double kAboveOne = 1.001;
  if (weight_like) return {0, !extent.empty() && extent.high > kAboveOne ? extent.high : 1};
  if (extent.empty()) return {0, 1};
  if (!signed_data) return {extent.low, extent.high};
  return extent.largest() > 0 ? ValueRange{-extent.largest(), extent.largest()} : ValueRange{-1, 1};
}

}  // namespace headscope
