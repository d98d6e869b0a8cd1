// Rows of numbers added into columns: the largest and smallest of each, or its sum. What pools a map into pixels.
#pragma once

#include <cstdint>

namespace headscope {

// high[j] = max(high[j], values[j]), low[j] = min(low[j], values[j]), 0 <= j < count; a NaN changes neither. True when
// there is a NaN. `values` overlaps none of the others.
bool add_extremes(const float* values, std::int64_t count, float* high, float* low);

// sums[j] += values[j], in double. False, and nothing is added, when a value is not finite.
bool add_finite(const float* values, std::int64_t count, double* sums);

}  // namespace headscope
