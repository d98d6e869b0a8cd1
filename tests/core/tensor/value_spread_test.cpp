// Percentiles, and the stretch that holds nearly all values.
#include "core/tensor/value_spread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace headscope {
namespace {

ValueSpread spread_of(const std::vector<float>& values) {
  SpreadCounts counts;
  counts.add(values);
  return counts.result();
}

TEST(ValueSpread, PercentilesAreWithinAHundredthOfTheSortedOnes) {
  std::vector<float> values;
  for (int k = 0; k < 10000; ++k) values.push_back(static_cast<float>(std::sin(k * 0.7) * std::exp(k % 13 - 6)));
  const ValueSpread spread = spread_of(values);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(spread.count, 10000);
  EXPECT_EQ(spread.min, static_cast<double>(values.front()));
  EXPECT_EQ(spread.max, static_cast<double>(values.back()));
  EXPECT_LE(spread.low, static_cast<double>(values[99]));
  EXPECT_NEAR(spread.low, static_cast<double>(values[99]), 0.01 * std::fabs(static_cast<double>(values[99])));
  EXPECT_GE(spread.high, static_cast<double>(values[9899]));
  EXPECT_NEAR(spread.high, static_cast<double>(values[9899]), 0.01 * std::fabs(static_cast<double>(values[9899])));
}

TEST(ValueSpread, OneFarValueDoesNotStretchTheNarrowest) {
  std::vector<float> values(1000, 0.001F);
  values[7] = 0.002F;
  values[3] = 1;
  EXPECT_LE(spread_of(values).narrowest, 0.0011);
  values[4] = -1;
  EXPECT_LE(spread_of(values).narrowest, 0.0011) << "one at each end";
}

TEST(ValueSpread, LeavesHiddenAndNotFiniteValuesOut) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  SpreadCounts counts;
  counts.add_visible(std::vector<float>{1, 2, 99, inf, nan, -inf}, std::vector<std::uint8_t>{0, 0, 1, 0, 0, 0});
  EXPECT_EQ(counts.result().count, 2);
  EXPECT_EQ(counts.result().max, 2);
  EXPECT_EQ(spread_of({}).count, 0);
  EXPECT_EQ(spread_of({nan, inf}).count, 0);
}

TEST(ValueSpread, HoldsSignsZeroAndTheLargestNumbers) {
  const ValueSpread spread = spread_of({-3e38F, -0.0F, 0.0F, 3e38F});
  EXPECT_EQ(spread.min, static_cast<double>(-3e38F));
  EXPECT_EQ(spread.max, static_cast<double>(3e38F));
  EXPECT_TRUE(std::isfinite(spread.high) && std::isfinite(spread.low));
}

}  // namespace
}  // namespace headscope
