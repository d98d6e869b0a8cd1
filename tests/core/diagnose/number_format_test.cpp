// Number formats are recognised from the numbers, and rounding to them is the hardware's.
#include "core/diagnose/number_format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

std::vector<float> rounded(const char* option) {
  std::vector<float> numbers = random_values(200, 17);
  const auto format = format_named(option, numbers);
  for (float& each : numbers) {
    const auto value = static_cast<double>(each);
    each = static_cast<float>(format->grid != nullptr ? rounded_to(*format->grid, value)
                              : format->step > 0      ? std::nearbyint(value / format->step) * format->step
                                                      : value);
  }
  return numbers;
}

TEST(NumberFormat, IsRecognisedFromTheNumbers) {
  // TF32 has the digits of float16: numbers of ordinary sizes are both.
  for (const char* option : {"f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i8"}) {
    EXPECT_EQ(format_of(rounded(option)).option, option);
  }
}

TEST(NumberFormat, FewOrAlikeNumbersSayNothing) {
  EXPECT_EQ(format_of(std::vector<float>{0.5F, 1, 2}).option, "f32");
  EXPECT_EQ(format_of(std::vector<float>(1000, 0.5F)).option, "f32");
  EXPECT_EQ(format_of(std::vector<float>{}).option, "f32");
  EXPECT_FALSE(format_named("f64", {}).has_value());
}

// Four numbers of a tiny layer that was computed rightly and rounded: beside ours they cannot be float32 by chance.
TEST(NumberFormat, FewNumbersBesideOursMayBeEnough) {
  const std::vector<float> ours(random_values(4, 17));
  const auto rounded_by = [&](const char* option) {
    std::vector<float> numbers = ours;
    const auto format = format_named(option, ours);
    for (float& each : numbers) each = static_cast<float>(rounded_to(*format->grid, static_cast<double>(each)));
    return numbers;
  };
  EXPECT_EQ(format_of(rounded_by("bf16"), ours).option, "bf16");
  EXPECT_EQ(format_of(rounded_by("f16"), ours).option, "f16");
  EXPECT_EQ(format_of(rounded_by("bf16")).option, "f32") << "nothing to hold them against";
  EXPECT_EQ(format_of(ours, ours).option, "f32");
  const std::vector<float> simple = {0.5F, 0.25F, 0.375F, 12}, beside = {0.51F, 0.252F, 0.371F, 12.1F};
  EXPECT_EQ(format_of(simple, beside).option, "f32") << "simple numbers are in every format";
}

TEST(NumberFormat, AHugeNumberMakesNoSteps) {
  std::vector<float> numbers = random_values(200, 18);
  numbers[7] = -1e9F;
  EXPECT_EQ(format_of(numbers).option, "f32");
}

TEST(NumberFormat, WhatOursHoldsAsWellSaysNothing) {
  std::vector<float> whole;
  for (int k = 0; k < 200; ++k) whole.push_back(static_cast<float>(k % 17 - 8));
  EXPECT_EQ(format_of(whole, whole).option, "f32");
  const std::vector<float> half = rounded("f16");
  EXPECT_EQ(format_of(half, random_values(200, 17)).option, "f16");
}

TEST(NumberFormat, RoundsTiesToEvenAndKeepsWhatIsNoNumber) {
  const NumberGrid& half = number_grids()[0];
  EXPECT_EQ(rounded_to(half, 2049), 2048);
  EXPECT_EQ(rounded_to(half, 2051), 2052);
  EXPECT_EQ(rounded_to(half, 65520), std::numeric_limits<double>::infinity());
  EXPECT_EQ(rounded_to(half, 6e-8), std::ldexp(1, -24)) << "the smallest number below the normal ones";
  EXPECT_TRUE(std::isnan(rounded_to(half, std::nan(""))));
  const NumberGrid& bfloat16 = number_grids()[1];
  EXPECT_EQ(rounded_to(bfloat16, 1 + std::ldexp(1, -8)), 1);
  EXPECT_EQ(rounded_to(bfloat16, 1 + std::ldexp(3, -8)), 1 + std::ldexp(1, -6));
}

}  // namespace
}  // namespace headscope
