#include "core/text/text_difference.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

TEST(TextDifference, LongTextsAreShownFromWhereTheyPart) {
  const std::string a = "The animal didn't cross the street because it was too tired";
  const std::string b = "The animal didn't cross the street because it was too wide";
  EXPECT_EQ(from_where_they_part(a, b, 20), std::pair(std::string("… too tired"), std::string("… too wide")));
  EXPECT_EQ(from_where_they_part(a, b, 100), std::pair(a, b));
  EXPECT_EQ(from_where_they_part(a, a, 20), std::pair(a, a));
  EXPECT_EQ(from_where_they_part(a, "x" + b, 20), std::pair(a, "x" + b));
  EXPECT_EQ(from_where_they_part(a + " now", a, 20),
            std::pair(std::string("… too tired now"), std::string("… too tired")));
}

}  // namespace
}  // namespace headscope
