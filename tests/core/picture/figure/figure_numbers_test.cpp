#include <gtest/gtest.h>

#include <cmath>

#include "core/picture/figure/figure_plan.h"

namespace headscope {
namespace {

TEST(WeightText, has_two_decimals_no_leading_zero_and_nothing_below_half_a_percent) {
  EXPECT_EQ(weight_text(0.9F), ".90");
  EXPECT_EQ(weight_text(0.8965F), ".90");
  EXPECT_EQ(weight_text(1), "1");
  EXPECT_EQ(weight_text(0.996F), "1");
  EXPECT_EQ(weight_text(0.994F), ".99");
  EXPECT_EQ(weight_text(0.0049F), "");
  EXPECT_EQ(weight_text(0), "");
  EXPECT_EQ(weight_text(0.006F), ".01");
  EXPECT_EQ(weight_text(2), "2.00");  // dropped weights are scaled up
  EXPECT_EQ(weight_text(std::nanf("")), "");
}

TEST(TickText, has_three_digits_of_the_largest) {
  EXPECT_EQ(tick_text(0, 1), "0");
  EXPECT_EQ(tick_text(0.25, 1), ".25");
  EXPECT_EQ(tick_text(0.5, 1), ".5");
  EXPECT_EQ(tick_text(1, 1), "1");
  EXPECT_EQ(tick_text(-1.9, 1.9), "\u22121.9");
  EXPECT_EQ(tick_text(0.882, 1.764), ".88");
  EXPECT_EQ(tick_text(12.54, 12.54), "12.5");
  EXPECT_EQ(tick_text(243.4, 243.4), "243");
  EXPECT_EQ(tick_text(0.0123, 0.0123), ".012");
  EXPECT_EQ(tick_text(1e-4, 1e-4), "1e\u22124");
  EXPECT_EQ(tick_text(-1.26e-5, 1.26e-5), "\u22121.3e\u22125");
  EXPECT_EQ(tick_text(5e-5, 1e-4), "5e\u22125");
  EXPECT_EQ(tick_text(123456, 123456), "1.2e5");
}

}  // namespace
}  // namespace headscope
