// Number formats of fewer bits than float32 as the numbers that they can hold.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace headscope {

// Numbers of a sign, a significand of `digits` binary digits and an exponent. Below 2^lowest digits are lost; above
// `largest` a number is infinite.
struct NumberGrid {
  std::string_view name;    // "bfloat16", as sentences have it
  std::string_view option;  // "bf16", as --theirs-format has it
  int digits = 0, lowest = 0;
  double largest = 0;
  friend bool operator==(const NumberGrid&, const NumberGrid&) = default;
};

// float16, bfloat16, float8 e4m3 and e5m2 (OCP 8-bit Floating Point Specification, 2023), TF32.
std::span<const NumberGrid> number_grids();

// 2^exponent of a normal double, without a call: a diagnosis rounds some 10^8 numbers.
constexpr double power_of_two(int exponent) {
  constexpr int kBias = std::numeric_limits<double>::max_exponent - 1, kDigits = std::numeric_limits<double>::digits;
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + kBias) << (kDigits - 1));
}

// The nearest number of the grid, ties to even. NaN stays NaN.
inline double rounded_to(const NumberGrid& grid, double value) {
  const double size = std::abs(value);
  double rounded = 0;
  if (size >= power_of_two(grid.lowest)) {
    if (size == std::numeric_limits<double>::infinity()) return value;
    // The digits that are kept, in the bits of a double: half of the last one is added, less where it is even.
    const int dropped = std::numeric_limits<double>::digits - grid.digits;
    const std::uint64_t last = std::uint64_t{1} << dropped;
    std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    bits += last / 2 - 1 + ((bits & last) != 0 ? 1 : 0);
    rounded = std::bit_cast<double>(bits & ~(last - 1));
  } else {
    if (!(size > 0)) return value;  // 0 keeps its sign
    const int last = grid.lowest - (grid.digits - 1);
    rounded = std::nearbyint(value * power_of_two(-last)) * power_of_two(last);
  }
  return std::abs(rounded) > grid.largest ? std::copysign(std::numeric_limits<double>::infinity(), value) : rounded;
}

}  // namespace headscope
