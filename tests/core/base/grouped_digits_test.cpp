#include "core/base/grouped_digits.h"

#include <gtest/gtest.h>

#include <limits>

namespace headscope {
namespace {

TEST(GroupedDigits, SetsEveryThreeDigitsApart) {
  EXPECT_EQ(grouped_digits(0), "0");
  EXPECT_EQ(grouped_digits(999), "999");
  EXPECT_EQ(grouped_digits(1000), "1,000");
  EXPECT_EQ(grouped_digits(16'777'216), "16,777,216");
  EXPECT_EQ(grouped_digits(-999), "−999");
  EXPECT_EQ(grouped_digits(-12000), "−12,000");
  EXPECT_EQ(grouped_digits(std::numeric_limits<std::int64_t>::min()), "−9,223,372,036,854,775,808");
}

TEST(GroupedDigits, CountsOneThingOrMore) {
  EXPECT_EQ(grouped_count(1, "phrase"), "1 phrase");
  EXPECT_EQ(grouped_count(0, "phrase"), "0 phrases");
  EXPECT_EQ(grouped_count(20'000, "phrase"), "20,000 phrases");
}

}  // namespace
}  // namespace headscope
