#include "core/worksheet/decimal.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

TEST(Decimal, SumsAndProductsAreExact) {
  EXPECT_EQ((Decimal{142, 2}) + (Decimal{5, 1}), (Decimal{192, 2}));
  EXPECT_EQ((Decimal{-3, 0}) * (Decimal{71, 2}), (Decimal{-213, 2}));
  EXPECT_EQ(dot_product({{35, 2}, {65, 2}}, {{-2, 0}, {1, 0}}), (Decimal{-5, 2}));
}

TEST(Decimal, QuotientsAreRoundedWithAHalfAwayFromZero) {
  EXPECT_EQ(rounded_quotient({1, 0}, {3, 0}), (Decimal{33, 2}));
  EXPECT_EQ(rounded_quotient({1, 0}, {8, 0}), (Decimal{13, 2})) << "0.125";
  EXPECT_EQ(rounded_quotient({-1, 0}, {8, 0}), (Decimal{-13, 2}));
  EXPECT_EQ(rounded_quotient({272, 2}, {1049, 2}), (Decimal{26, 2}));
}

TEST(Decimal, PowersOfEAreRounded) {
  EXPECT_EQ(rounded_power({0, 0}), (Decimal{100, 2}));
  EXPECT_EQ(rounded_power({142, 2}), (Decimal{414, 2}));
  EXPECT_EQ(rounded_power({-3, 0}), (Decimal{5, 2}));
}

TEST(Decimal, TextHasEveryPlace) {
  EXPECT_EQ(decimal_text({5, 2}), "0.05");
  EXPECT_EQ(decimal_text({-1420, 2}), "-14.20");
  EXPECT_EQ(decimal_text({-7, 0}), "-7");
  EXPECT_EQ(decimal_text({0, 0}), "0");
  EXPECT_EQ(printed_text({-5, 1}), "\u22120.5");
}

}  // namespace
}  // namespace headscope
