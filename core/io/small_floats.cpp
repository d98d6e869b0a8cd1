#include "core/io/small_floats.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "core/tensor/two_byte_floats.h"

namespace headscope {
namespace {

// The value of a sign, an exponent of `exponent_bits` bits and a fraction, without what stands for NaN and infinity.
float value_of(std::uint32_t bits, int fraction_bits, int bias) {
  const std::uint32_t fraction = bits & ((1U << fraction_bits) - 1);
  const int exponent = static_cast<int>((bits & 0x7FU) >> fraction_bits);
  const float sign = (bits & 0x80U) != 0 ? -1.0F : 1.0F;
  const auto digits = static_cast<float>(exponent == 0 ? fraction : fraction + (1U << fraction_bits));
  return sign * std::ldexp(digits, std::max(exponent, 1) - bias - fraction_bits);
}

constexpr SmallFloat kSmallFloats[] = {
    {"bf16", "bfloat16", 16, [](std::uint32_t bits) { return float_from_bfloat16(static_cast<std::uint16_t>(bits)); }},
    {"f16", "float16", 16, [](std::uint32_t bits) { return float_from_half(static_cast<std::uint16_t>(bits)); }},
    {"f8e4m3", "float8 e4m3", 8, [](std::uint32_t bits) { return float_from_e4m3(static_cast<std::uint8_t>(bits)); }},
    {"f8e5m2", "float8 e5m2", 8, [](std::uint32_t bits) { return float_from_e5m2(static_cast<std::uint8_t>(bits)); }}};

}  // namespace

float float_from_e4m3(std::uint8_t bits) {
  if ((bits & 0x7FU) == 0x7FU) return std::numeric_limits<float>::quiet_NaN();
  return value_of(bits, 3, 7);
}

float float_from_e5m2(std::uint8_t bits) {
  if ((bits & 0x7CU) != 0x7CU) return value_of(bits, 2, 15);
  if ((bits & 0x03U) != 0) return std::numeric_limits<float>::quiet_NaN();
  return (bits & 0x80U) != 0 ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
}

const SmallFloat* small_float(std::string_view option) {
  const auto found = std::find_if(std::begin(kSmallFloats), std::end(kSmallFloats),
                                  [=](const SmallFloat& each) { return each.option == option; });
  return found == std::end(kSmallFloats) ? nullptr : found;
}

Tensor from_bits(const Tensor& whole, const SmallFloat& format) {
  std::vector<float> numbers = whole.values();
  for (float& number : numbers) number = format.value(static_cast<std::uint32_t>(number));
  return Tensor::of(whole.shape(), whole.axes(), std::move(numbers));
}

bool looks_like_bfloat16(const Tensor& whole) {
  constexpr float kSmallest = 0x1p-20F, kLargest = 0x1p14F, kUsual = 16.0F;
  std::size_t others = 0, likely = 0, usual = 0;
  for (const float bits : whole.values()) {
    const float number = std::abs(float_from_bfloat16(static_cast<std::uint16_t>(bits)));
    if (!std::isfinite(number)) return false;
    if (number == 0.0F) continue;
    ++others;
    if (number >= kSmallest && number <= kLargest) ++likely;
    if (number < kUsual) ++usual;
  }
  return others > 0 && likely * 100 >= others * 98 && usual * 2 >= others;
}

}  // namespace headscope
