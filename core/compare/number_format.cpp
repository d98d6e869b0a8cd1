#include "core/compare/number_format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {

std::string_view format_name(NumberType format) {
  return format == NumberType::float32 ? "float32" : format == NumberType::float16 ? "float16" : "bfloat16";
}

double rounded_to(NumberType format, double value) {
  if (!std::isfinite(value) || value == 0) return value;
  if (format == NumberType::float32) return static_cast<double>(static_cast<float>(value));
  // Digits of the significand, and the exponent of the smallest normal number; below it digits are lost.
  const int digits = format == NumberType::float16 ? 11 : 8, lowest = format == NumberType::float16 ? -14 : -126;
  int exponent = 0;
  std::frexp(value, &exponent);  // |value| in [2^(exponent-1), 2^exponent)
  const int last = std::max(exponent - 1, lowest) - (digits - 1);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);  // exact but for nearbyint
  const double largest = format == NumberType::float16 ? 65504.0 : std::ldexp(255.0, 120);
  return std::abs(rounded) > largest ? std::copysign(std::numeric_limits<double>::infinity(), value) : rounded;
}

}  // namespace headscope
