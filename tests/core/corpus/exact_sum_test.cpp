#include "core/corpus/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace headscope {
namespace {

std::vector<double> terms(int count) {
  std::mt19937_64 draw(7);
  std::vector<double> values;
  for (int k = 0; k < count; ++k) {
    const double size = std::ldexp(1.0, -static_cast<int>(draw() % 45)) * (k % 7 == 0 ? 30000 : 1);
    values.push_back((static_cast<double>(draw() >> 11) * 0x1p-53 - 0.25) * size);
  }
  return values;
}

TEST(ExactSum, IsTheSumOfRoundedTermsInAnyOrderAndGrouping) {
  std::vector<double> values = terms(3000);
  ExactSum first;
  __int128 steps = 0;
  for (const double value : values) {
    first.add(value);
    steps += std::llrint(std::ldexp(value, 40));
  }
  const double wanted = static_cast<double>(steps) * 0x1p-40;
  EXPECT_TRUE(std::fabs(first.value() - wanted) <= std::fabs(wanted) * 1e-15) << first.value() << " " << wanted;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::shuffle(values.begin(), values.end(), std::mt19937(seed));
    ExactSum parts[3], whole;
    for (std::size_t k = 0; k < values.size(); ++k) parts[(k * k + seed) % 3].add(values[k]);
    for (const ExactSum& part : parts) whole.add(part);
    EXPECT_EQ(whole, first);
  }
}

TEST(ExactSum, KnowsNumbersBelowZero) {
  ExactSum sum;
  sum.add(-0.75);
  EXPECT_EQ(sum.value(), -0.75);
  EXPECT_EQ(sum.high(), ~std::uint64_t{0});
  sum.add(0.5);
  EXPECT_EQ(sum.value(), -0.25);
  sum.add(0.25);
  EXPECT_EQ(sum, ExactSum());
  EXPECT_EQ(sum.value(), 0);
}

TEST(ExactSum, HoldsMoreThanOneWord) {
  ExactSum sum;
  for (int k = 0; k < 1000; ++k) sum.add(4194303.0);
  EXPECT_EQ(sum.value(), 4194303000.0);
  EXPECT_GT(sum.high(), 0u);
}

TEST(ExactSum, LargeTermsAreTheSameStepsOf128Bits) {
  std::mt19937_64 draw(9);
  ExactSum found;
  __int128 steps = 0;
  for (int k = 0; k < 4000; ++k) {
    const double value =
        (static_cast<double>(draw() >> 11) * 0x1p-53 - 0.5) * std::ldexp(1.0, static_cast<int>(draw() % 120) - 45);
    ExactSum one;
    one.add_large(value);
    const auto wanted = static_cast<__int128>(std::nearbyint(std::ldexp(value, 40)));
    EXPECT_EQ(one, ExactSum(static_cast<std::uint64_t>(wanted), static_cast<std::uint64_t>(wanted >> 64))) << value;
    found.add(one);
    steps += wanted;
    if (std::fabs(value) >= 4194304.0) continue;
    ExactSum small;
    small.add(value);
    EXPECT_EQ(small, one) << value;
  }
  EXPECT_EQ(found, ExactSum(static_cast<std::uint64_t>(steps), static_cast<std::uint64_t>(steps >> 64)));
}

}  // namespace
}  // namespace headscope
