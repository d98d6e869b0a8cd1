#include "core/tensor/shape.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace headscope {
namespace {

TEST(Shape, CountsElements) {
  EXPECT_EQ(element_count(Shape{}), 1);
  EXPECT_EQ(element_count(Shape{3}), 3);
  EXPECT_EQ(element_count(Shape{2, 3, 4, 5, 6}), 720);
  EXPECT_EQ(element_count(Shape{2, 0, 4}), 0);
  EXPECT_EQ(element_count(Region{{1, 3}, {0, 5}}), 10);
}

TEST(Shape, RefusesNegativeSizesAndOverflow) {
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_THROW(element_count(Shape{2, -1}), Error);
  EXPECT_THROW(element_count(Shape{large, large}), Error);
  EXPECT_THROW(element_count(Shape{large, large, 0}), Error) << "strides would overflow";
  EXPECT_EQ(element_count(Shape{std::int64_t{1} << 31, std::int64_t{1} << 31}), std::int64_t{1} << 62);
}

TEST(Shape, StridesAreRowMajor) {
  EXPECT_EQ(row_major_strides(Shape{2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_EQ(row_major_strides(Shape{}), Strides{});
  EXPECT_EQ(row_major_strides(Shape{5, 1}), (Strides{1, 1}));
}

TEST(Shape, IsWrittenAsTheContractDoes) {
  EXPECT_EQ(to_string(Shape{1, 8, 5, 5}), "[1, 8, 5, 5]");
  EXPECT_EQ(to_string(Shape{7}), "[7]");
  EXPECT_EQ(to_string(Shape{}), "[]");
}

TEST(Shape, AxesHaveNames) {
  EXPECT_STREQ(axis_name(Axis::batch), "batch");
  EXPECT_STREQ(axis_name(Axis::query), "query");
  EXPECT_STREQ(axis_name(Axis::feature), "feature");
}

TEST(Shape, ComparisonLooksOnlyAtUsedPlaces) {
  Shape shape{2, 3};
  Shape other;
  other.push_back(2);
  other.push_back(3);
  EXPECT_EQ(shape, other);
  EXPECT_FALSE(shape == (Shape{2, 3, 0}));
}

}  // namespace
}  // namespace headscope
