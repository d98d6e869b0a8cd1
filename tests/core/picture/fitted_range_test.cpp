// The range that most of the values ask for, and whether the colours of a range tell them apart.
#include "core/picture/fitted_range.h"

#include <gtest/gtest.h>

#include "tests/core/picture/small_maps.h"

namespace headscope {
namespace {

ValueSpread spread_of(const Tensor& matrix, const Mask* mask = nullptr) {
  SpreadCounts counts;
  add_visible(counts, matrix, mask);
  return counts.result();
}

// 20 x 20 values from 0.001 to 0.002, and one of 1.
Tensor with_one_far_value() {
  std::vector<float> values;
  for (int k = 0; k < 400; ++k) values.push_back(0.001F + 0.001F * static_cast<float>(k) / 400);
  values[77] = 1;
  return matrix_of(20, 20, values);
}

TEST(FittedRange, LeavesTheFarValueAside) {
  const ValueSpread spread = spread_of(with_one_far_value());
  const ValueRange range = fitted_range(spread, false);
  EXPECT_NEAR(range.low, 0.001, 0.0001);
  EXPECT_NEAR(range.high, 0.002, 0.0001);
  EXPECT_TRUE(is_crowded(spread, {0, 1}));
  EXPECT_FALSE(is_crowded(spread, range));
  EXPECT_FALSE(is_crowded(spread, {0, 0.01}));
}

TEST(FittedRange, OfSignedDataIsCentredOnZero) {
  const ValueRange range = fitted_range(spread_of(matrix_of(1, 4, {-3, 1, 2, 2.5F})), true);
  EXPECT_EQ(range.low, -range.high);
  EXPECT_NEAR(range.high, 3, 0.03);
}

TEST(FittedRange, HoldsWhateverTheValuesAre) {
  for (const std::vector<float>& values :
       {std::vector<float>{0, 0, 0, 0}, {kNan, kNan, kInf, kNan}, {2, 2, 2, 2}, {-2, -2, -2, -2}}) {
    for (const bool signed_data : {false, true}) {
      const ValueSpread spread = spread_of(matrix_of(2, 2, values));
      const ValueRange range = fitted_range(spread, signed_data);
      EXPECT_LT(range.low, range.high);
      EXPECT_FALSE(is_crowded(spread, {0, 1})) << "no other range shows more of equal values";
    }
  }
}

TEST(FittedRange, CountsWhatIsVisible) {
  const std::shared_ptr<const Mask> mask = mask_of(2, 2, {0, 1, 0, 1});
  const ValueSpread spread = spread_of(matrix_of(2, 2, {1, 100, 2, 100}), mask.get());
  EXPECT_EQ(spread.count, 2);
  EXPECT_EQ(spread.max, 2);
}

}  // namespace
}  // namespace headscope
