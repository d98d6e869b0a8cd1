// Numbers that lie as far from others as rounding may have left them.
#pragma once

#include "core/diagnose/number_format.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Each number moved by half a step of the format, up or down as a hash of its place says: numbers that theirs may have
// computed with, where they gave these. Of float32, whose sums other programs add up in another order, a number moves
// by 1e-6 of its row's root mean square, or, not `by_rows`, of itself: scores may have very large numbers where a mask
// hides.
Tensor drifted(const Tensor& numbers, const NumberFormat& format, bool by_rows = true);

}  // namespace headscope
