// Ranges of colours that leave the few values aside that lie far from all others.
#pragma once

#include <cstdint>

#include "core/picture/heatmap_spec.h"
#include "core/request/mask.h"
#include "core/tensor/tensor.h"
#include "core/tensor/value_spread.h"

namespace headscope {

// Adds the finite, visible values of a [rows, columns] matrix; `mask` as in automatic_range.
void add_visible(SpreadCounts& counts, const Tensor& matrix, const Mask* mask = nullptr, std::int64_t batch = 0,
                 std::int64_t head = 0);

// From the 1st to the 99th percentile; for signed data {-m, m} with m the larger of both in absolute value. Where these
// are one number, all of the values; {0, 1} when there are none.
ValueRange fitted_range(const ValueSpread& spread, bool signed_data);

// Whether the colours of `range` cannot tell 99 of 100 values apart: they lie in a twentieth of it.
bool is_crowded(const ValueSpread& spread, const ValueRange& range);

}  // namespace headscope
