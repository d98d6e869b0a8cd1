// Numbers of 16 and 8 bits whose bits a file holds as whole numbers, since its format has no type for them.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/tensor/tensor.h"

namespace headscope {

// A number of float8, e4m3 (S.EEEE.MMM, bias 7, no infinity, NaN where all other bits are 1) or e5m2 (S.EEEEE.MM, bias
// 15, as IEEE 754): https://www.opencompute.org, OCP 8-bit Floating Point Specification. Every one is a float32.
float float_from_e4m3(std::uint8_t bits);
float float_from_e5m2(std::uint8_t bits);

// The formats whose bits a file may hold as whole numbers, as --theirs-format names them.
struct SmallFloat {
  std::string_view option;  // "bf16"
  std::string_view name;    // "bfloat16", as sentences have it
  int bits = 16;            // of the whole number
  float (*value)(std::uint32_t bits) = nullptr;
};

// "bf16", "f16", "f8e4m3" or "f8e5m2"; null for other names.
const SmallFloat* small_float(std::string_view option);

// The numbers whose bits `whole` holds, each a whole number below 2^bits.
Tensor from_bits(const Tensor& whole, const SmallFloat& format);

// Whether whole numbers of 16 bits are bfloat16 in all likelihood: none would be NaN or infinite, and nearly all that
// are not 0 would lie between 2^-20 and 2^14, and half of them or more would lie below 16. Whole numbers that are what
// they say, as ids or pixels, would be below 2^-100, or all near each other far from 0. False without numbers.
bool looks_like_bfloat16(const Tensor& whole);

}  // namespace headscope
