// Number formats of fewer bits than float32 as the numbers that they can hold.
#pragma once

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

// The nearest number of the grid, ties to even. NaN stays NaN.
double rounded_to(const NumberGrid& grid, double value);

}  // namespace headscope
