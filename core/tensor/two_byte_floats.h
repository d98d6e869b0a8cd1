// float16 and bfloat16, as float32.
#pragma once

#include <bit>
#include <cstdint>

namespace headscope {

// IEEE 754 binary16, exactly: subnormals, infinities and NaN (its payload too) included.
inline float float_from_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1Fu;
  std::uint32_t fraction = bits & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | (fraction << 13));
  if (exponent == 0) {  // 0 or a subnormal: fraction * 2^-24, which float32 holds as a normal number
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

// bfloat16: the upper half of a float32.
inline float float_from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace headscope
