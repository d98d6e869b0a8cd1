// The minus of numbers that people read: U+2212, as wide as a plus. What is copied or written as data keeps '-'.
#pragma once

#include <string>
#include <string_view>

namespace headscope {

inline constexpr const char* kMinusSign = "\u2212";

// `text` with U+2212 for every '-' that is the sign of a number or of its exponent: "-0.5", "(-1.2e-05)", "= -inf".
// Hyphens in names and ranges stay: "mask-order", "h-1", "2-3".
std::string with_minus_signs(std::string_view text);

}  // namespace headscope
