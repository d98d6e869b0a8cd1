// Pixels that pool a block of cells each.
//
// What a pixel shows of its block:
//   max   The rule of core/picture/heatmap_spec.h: a NaN, else the visible cell of largest absolute value (of two equal
//         ones the positive), else hidden.
//   mean  A NaN, else the mean of the visible finite cells, else the largest infinity, else hidden.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/request/mask.h"

namespace headscope {

enum class Pooling : std::uint8_t { max, mean };
const char* pooling_name(Pooling pooling);  // "max", "mean"

// Pooled pixels, row-major.
struct PooledPixels {
  std::int64_t rows = 0, columns = 0;
  std::vector<float> values;          // 0 where hidden
  std::vector<std::uint32_t> counts;  // mean: visible finite cells; max: 1; 0: NaN, hidden, or only infinities
  PooledPixels() = default;
  PooledPixels(std::int64_t row_count, std::int64_t column_count);
  bool hidden(std::int64_t row, std::int64_t column) const;
};

// The hidden pixels as the mask of a matrix of these pixels; null: none is hidden.
std::shared_ptr<const Mask> hidden_pixels(const PooledPixels& pixels);

// Cells per pixel along each axis.
struct PixelCells {
  std::int64_t rows = 1, columns = 1;
  friend bool operator==(const PixelCells&, const PixelCells&) = default;
};

// Pixels pooled once more, `by` at a time: the same as pooling their cells at once (means: within rounding).
PooledPixels pool_pixels(const PooledPixels& pixels, PixelCells by, Pooling pooling);

// Whether a pixel shows `value` rather than `best`, of two visible cells that are not NaN.
inline bool beats(float value, float best) {
  const float a = std::fabs(value), b = std::fabs(best);
  return a > b || (a == b && value > best);
}

}  // namespace headscope
