// From values to entries of the colour table: shared ranges, ranges of a row, logarithms.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/backend/device_pyramid.h"
#include "core/picture/heatmap_spec.h"
#include "core/tensor/block_sums.h"
#include "core/tensor/row_strips.h"

namespace headscope {

namespace {

// The smallest and largest finite, visible value; low > high when there is none.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void include(std::span<const float> values) {
    const auto first = std::find_if(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
    if (first == values.end()) return;
    const BlockSums ends = sums_of_block(values.data(), values.size(), *first);
    low = std::min(low, static_cast<double>(ends.low));
    high = std::max(high, static_cast<double>(ends.high));
  }
  // A whole row of the mask's cells.
  void include_visible(std::span<const float> values, const HiddenCells& cells, std::int64_t b, std::int64_t h,
                       std::int64_t i) {
    if (const std::optional<VisibleKeys> keys = cells.visible_keys(b, h, i)) {
      for (const Range& run : {keys->first, keys->second}) {
        include(values.subspan(static_cast<std::size_t>(run.begin), static_cast<std::size_t>(run.size())));
      }
      return;
    }
    hidden.resize(values.size());
    cells.read_row(b, h, i, hidden);
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (!std::isfinite(values[j]) || hidden[j] != 0) continue;
      low = std::min(low, static_cast<double>(values[j]));
      high = std::max(high, static_cast<double>(values[j]));
    }
  }
  bool empty() const { return low > high; }
  double largest() const { return std::max(std::fabs(low), std::fabs(high)); }

  std::vector<std::uint8_t> hidden;
};

ValueRange row_range(const Extent& extent, bool diverging, bool log_scale) {
  if (extent.empty()) return {0, 1, log_scale, true};
  if (diverging && extent.largest() > 0) return {-extent.largest(), extent.largest(), log_scale, true};
  if (diverging) return {-1, 1, log_scale, true};
  if (extent.high > extent.low) return {extent.low, extent.high, log_scale, true};
  if (extent.high > 0) return {0, extent.high, log_scale, true};
  return {extent.low, extent.low + 1, log_scale, true};
}

std::vector<Extent> row_extents(const HeatmapSpec& spec, std::int64_t begin, std::int64_t end) {
  std::vector<Extent> extents;
  if (spec.device != nullptr) {
    for (std::int64_t row = begin; row < end; ++row) {
      const DevicePicture::RowExtent& ends = spec.device->row_extents[static_cast<std::size_t>(row)];
      Extent extent;
      if (ends.low <= ends.high) extent = {static_cast<double>(ends.low), static_cast<double>(ends.high), {}};
      extents.push_back(std::move(extent));
    }
    return extents;
  }
  for_each_row(spec.matrix.sliced(0, begin, end), [&](const Index&, std::int64_t row, std::span<const float> values) {
    Extent extent;
    if (spec.mask) {
      extent.include_visible(values, spec.mask->hidden, spec.batch, spec.head, begin + row);
    } else {
      extent.include(values);
    }
    extent.hidden = {};  // of a row, and there may be many
    extents.push_back(std::move(extent));
  });
  return extents;
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
  if (spec.row_ranges != nullptr) {
    for (std::int64_t row = begin; row < end; ++row) {
      scales.push_back(value_scale((*spec.row_ranges)[static_cast<std::size_t>(row)]));
    }
    return scales;
  }
  for (const Extent& extent : row_extents(spec, begin, end)) {
    scales.push_back(value_scale(row_range(extent, is_diverging(spec.map), spec.range.log_scale)));
  }
  return scales;
}

std::vector<ValueRange> shared_row_ranges(const HeatmapSpec& a, const HeatmapSpec& b) {
  std::vector<Extent> extents = row_extents(a, 0, a.matrix.dim(0));
  const std::vector<Extent> others = row_extents(b, 0, b.matrix.dim(0));
  std::vector<ValueRange> ranges;
  for (std::size_t row = 0; row < extents.size(); ++row) {
    extents[row].low = std::min(extents[row].low, others[row].low);
    extents[row].high = std::max(extents[row].high, others[row].high);
    ranges.push_back(row_range(extents[row], is_diverging(a.map), a.range.log_scale));
  }
  return ranges;
}

ValueRange automatic_range(const Tensor& tensor, bool weight_like, bool signed_data, const Mask* mask,
                           std::int64_t batch, std::int64_t head) {
  Extent extent;
  for_each_row(tensor, [&](const Index& leading, std::int64_t row, std::span<const float> values) {
    const bool whole_stage = leading.count == 2;
    if (mask != nullptr && (whole_stage || leading.count == 0)) {
      extent.include_visible(values, mask->hidden, whole_stage ? leading[0] : batch, whole_stage ? leading[1] : head,
                             row);
    } else {
      extent.include(values);
    }
  });
  // A row sum rounded up must not turn the end of the scale from 1 to 1.0000001.
  constexpr double kAboveOne = 1.001;
  if (weight_like) return {0, !extent.empty() && extent.high > kAboveOne ? extent.high : 1};
  if (extent.empty()) return {0, 1};
  if (!signed_data) return {extent.low, extent.high};
  return extent.largest() > 0 ? ValueRange{-extent.largest(), extent.largest()} : ValueRange{-1, 1};
}

}  // namespace headscope
