// Number formats of fewer bits: their names, and rounding to them.
#pragma once

#include <string_view>

#include "core/tensor/tensor.h"

namespace headscope {

// "float32", "float16", "bfloat16".
std::string_view format_name(NumberType format);

// The nearest number of the format, ties to even, as torch's .half() and .bfloat16(); beyond the largest it is
// infinite. NaN stays NaN.
double rounded_to(NumberType format, double value);

}  // namespace headscope
