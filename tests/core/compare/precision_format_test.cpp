// Formats of few bits against their definitions, and what is rounded to them.
#include "core/compare/precision_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/compare/rounder.h"

namespace headscope {
namespace {

const PrecisionFormat& format(const char* option) {
  return *find_precision_format(option);
}

// A code of 8 bits as the OCP specification decodes it: sign, exponent, fraction. NaN for codes that are no number.
double decoded(int code, int exponent_bits, bool has_infinity) {
  const int fraction_bits = 7 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = code >= 128 ? -1 : 1;
  const int exponent = code % 128 >> fraction_bits, fraction = code % (1 << fraction_bits);
  const int last = (1 << exponent_bits) - 1;
  if (exponent == last && has_infinity) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == last && fraction == (1 << fraction_bits) - 1) return NAN;
  const double scale = std::ldexp(1, -fraction_bits);
  return exponent == 0 ? sign * fraction * scale * std::ldexp(1, 1 - bias)
                       : sign * (1 + fraction * scale) * std::ldexp(1, exponent - bias);
}

void check_codes(const PrecisionFormat& tested, int exponent_bits) {
  std::vector<double> numbers;
  for (int code = 0; code < 256; ++code) {
    const double number = decoded(code, exponent_bits, tested.has_infinity);
    if (!std::isfinite(number)) continue;
    EXPECT_EQ(rounded_to(tested, number), number) << tested.name << " code " << code;
    if (code < 128) numbers.push_back(number);
  }
  ASSERT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  for (std::size_t k = 0; k + 1 < numbers.size(); ++k) {
    const double low = numbers[k], high = numbers[k + 1], middle = (low + high) / 2;
    // Codes count up with the numbers, so that the even code ends in a 0.
    EXPECT_EQ(rounded_to(tested, middle), k % 2 == 0 ? low : high) << tested.name << " " << middle;
    EXPECT_EQ(rounded_to(tested, std::nextafter(middle, 0.0)), low) << tested.name;
    EXPECT_EQ(rounded_to(tested, -std::nextafter(middle, INFINITY)), -high) << tested.name;
  }
}

TEST(PrecisionFormat, EveryCodeOfFloat8IsItsNumberAndTiesGoToTheEvenOne) {
  check_codes(format("f8e4m3"), 4);
  check_codes(format("f8e5m2"), 5);
}

TEST(PrecisionFormat, BeyondTheLargestNumberIsInfinityWhereThereIsOne) {
  EXPECT_EQ(rounded_to(format("f8e4m3"), 464), 448) << "half way to what 480 would be; 448 is the even one";
  EXPECT_TRUE(std::isnan(rounded_to(format("f8e4m3"), std::nextafter(464.0, 500.0))));
  EXPECT_TRUE(std::isnan(rounded_to(format("f8e4m3"), -INFINITY)));
  EXPECT_EQ(rounded_to(format("f8e5m2"), -1e6), -INFINITY);
  EXPECT_EQ(rounded_to(format("f16"), 65520), INFINITY);
}

TEST(PrecisionFormat, Tf32KeepsTenBitsBehindTheFirst) {
  EXPECT_EQ(rounded_to(format("tf32"), 1 + std::ldexp(1, -10)), 1 + std::ldexp(1, -10));
  EXPECT_EQ(rounded_to(format("tf32"), 1 + std::ldexp(1, -11)), 1) << "a tie goes to the even number";
  EXPECT_EQ(rounded_to(format("tf32"), 1 + std::ldexp(3, -11)), 1 + std::ldexp(1, -9));
  EXPECT_EQ(rounded_to(format("tf32"), 1e38), std::ldexp(std::nearbyint(std::ldexp(1e38, -116)), 116));
}

TEST(PrecisionFormat, EveryPartIsRefusedWhereTheFormatDoesNotRoundIt) {
  for (const PrecisionFormat& each : precision_formats()) {
    for (const Rounded rounded : {Rounded::usual, Rounded::inputs, Rounded::all}) {
      EXPECT_EQ(rounding_refusal(rounding_of(each, rounded)), "") << each.name;
    }
    EXPECT_EQ(rounding_refusal(rounding_of(each, Rounded::storage)).empty(), each.option != "tf32") << each.name;
    const bool sums = each.option == "f32" || each.option == "f16" || each.option == "bf16";
    EXPECT_EQ(rounding_refusal(rounding_of(each, Rounded::accumulation)).empty(), sums) << each.name;
  }
  EXPECT_EQ(find_precision_format("f64"), nullptr);
}

TEST(PrecisionFormat, TheRestIsInDoubleWhereOnePartAloneIsRounded) {
  EXPECT_EQ(sums_format(rounding_of(format("f16"), Rounded::usual)), "float32");
  EXPECT_EQ(sums_format(rounding_of(format("f16"), Rounded::inputs)), "double");
  EXPECT_EQ(sums_format(rounding_of(format("f16"), Rounded::accumulation)), "float16");
  EXPECT_EQ(sums_format(rounding_of(format("tf32"), Rounded::all)), "float32");
  EXPECT_EQ(part_names(rounding_of(format("bf16"), Rounded::all).parts),
            (std::vector<std::string>{"inputs", "storage", "accumulation"}));
}

TEST(Int8, RowsHaveAFactorOfTheirOwn) {
  std::vector<double> values = {1, -2, 0.5, 0, 0, 0, 127, 63.5, -62.5};
  round_to_int8(values, {1, 3, 3}, false, {});
  const double factor = 2.0 / 127;
  const std::vector<double> expected = {64 * factor, -127 * factor, 32 * factor, 0, 0, 0, 127, 64, -62};
  for (std::size_t k = 0; k < values.size(); ++k) EXPECT_DOUBLE_EQ(values[k], expected[k]) << k;
}

TEST(Int8, ColumnsOfAHeadHaveAFactorOfTheirOwn) {
  // [batch 2, head 2, row 1, column 2]: a column goes through both batch items, not through both heads.
  std::vector<double> values = {127, 10, 1, 2, 10.4, 1270, 0.5, -4};
  round_to_int8(values, {2, 2, 1, 2}, true, {});
  const std::vector<double> expected = {127, 10, 1, 64 * 4.0 / 127, 10, 1270, 64 / 127.0, -4};
  for (std::size_t k = 0; k < values.size(); ++k) EXPECT_DOUBLE_EQ(values[k], expected[k]) << k;
}

TEST(Int8, WhatIsNotFiniteOrNotRoundedStaysAndDoesNotCount) {
  std::vector<double> values = {-1e9, -INFINITY, 12.7, 3.33};
  round_to_int8(values, {1, 1, 1, 4}, false, [](std::size_t place) { return place != 0; });
  EXPECT_EQ(values[0], -1e9);
  EXPECT_EQ(values[1], -INFINITY);
  EXPECT_DOUBLE_EQ(values[2], 12.7);
  EXPECT_DOUBLE_EQ(values[3], 3.3);
}

}  // namespace
}  // namespace headscope
