// Rows of numbers added into columns: the largest and smallest of each, or its sum. What pools a map into pixels.
#pragma once

#include <cstdint>

namespace headscope {

// Rows whose extremes are taken together: so high and low are read and written once for all of them.
constexpr std::int64_t kRowsOfExtremes = 4;

// high[j] = max(high[j], v), low[j] = min(low[j], v) of v = values[i * stride + j], 0 <= i < rows, 0 <= j < count; a
// NaN changes neither. True when there is a NaN. 1 <= rows <= kRowsOfExtremes; `values` overlaps none of the others.
bool add_extremes(const float* values, std::int64_t stride, std::int64_t rows, std::int64_t count, float* high,
                  float* low);

// The same of pixels of `cells` columns: high[p] and low[p] over the columns j of [at, at + count) with j / cells = p,
// whose values begin at `values`.
bool add_pixel_extremes(const float* values, std::int64_t stride, std::int64_t rows, std::int64_t at,
                        std::int64_t count, std::int64_t cells, float* high, float* low);

// sums[j] += values[j], in double. False, and nothing is added, when a value is not finite.
bool add_finite(const float* values, std::int64_t count, double* sums);

}  // namespace headscope
