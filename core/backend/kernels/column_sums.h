// Rows of numbers added into columns: the largest and smallest of each, or its sum. What pools a map into pixels.
#pragma once

#include <cstdint>
#include <span>

#include "core/tensor/shape.h"

namespace headscope {

// Rows whose extremes are taken together: so high and low are read and written once for all of them.
constexpr std::int64_t kRowsOfExtremes = 4;

// high[j] = max(high[j], v), low[j] = min(low[j], v) of v = values[i * stride + j], 0 <= i < rows, 0 <= j < count; a
// NaN changes neither. True when there is a NaN. 1 <= rows <= kRowsOfExtremes; `values` overlaps none of the others.
bool add_extremes(const float* values, std::int64_t stride, std::int64_t rows, std::int64_t count, float* high,
                  float* low);

// Rows of values, so far apart.
struct ValueRows {
  const float* values = nullptr;
  std::int64_t stride = 0;
  std::int64_t rows = 0;
};
// Columns [at, at + count), in pixels of `cells` of them; pixel p begins at column p * cells.
struct PixelColumns {
  std::int64_t at = 0, count = 0, cells = 1;
};
// The same of pixels: high[p] and low[p] of the values of its columns in all rows. `values` is at column `at`.
bool add_pixel_extremes(const ValueRows& rows, const PixelColumns& columns, float* high, float* low);

// The numbers of the parts that hold one of the columns `seen`. The parts begin and end in ascending order.
Range parts_that_hold(std::span<const Range> parts, Range seen);

// high[p] = max(high[p], v) over the values of the columns `seen` that lie in parts[p]; a NaN changes nothing. True
// when there is a NaN. The parts begin and end in ascending order, and may overlap or leave columns out; none is empty.
// values[j] is that of column j; only the columns `seen` are read.
bool add_largest(const float* values, Range seen, std::span<const Range> parts, float* high);

// sums[j] += values[j], in double. False, and nothing is added, when a value is not finite.
bool add_finite(const float* values, std::int64_t count, double* sums);

}  // namespace headscope
