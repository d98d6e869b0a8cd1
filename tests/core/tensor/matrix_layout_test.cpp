#include "core/tensor/matrix_layout.h"

#include <gtest/gtest.h>

#include <vector>

namespace headscope {
namespace {

// 0, 1, 2, ... in a tensor of this shape.
Tensor counted(const Shape& shape, const Axes& axes) {
  std::vector<float> values(static_cast<std::size_t>(element_count(whole(shape))));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return Tensor::of(shape, axes, std::move(values));
}

TEST(MatrixOf, TakesTheMatrixOfABatchItemAndHead) {
  const Tensor tensor = counted({2, 3, 2, 4}, {Axis::batch, Axis::head, Axis::query, Axis::key});
  const Tensor matrix = matrix_of(tensor, {0, 1, 2, 3}, 1, 2, {0, 2}, {1, 3});
  EXPECT_EQ(matrix.shape(), (Shape{2, 2}));
  EXPECT_EQ(matrix.axes(), (Axes{Axis::query, Axis::key}));
  EXPECT_EQ(matrix.values(), (std::vector<float>{41, 42, 45, 46}));
}

TEST(MatrixOf, FollowsTheAxesOfTheLayout) {
  // [batch, position, head, feature]
  const Tensor tensor = counted({1, 2, 3, 2}, {Axis::batch, Axis::position, Axis::head, Axis::feature});
  EXPECT_EQ(matrix_of(tensor, {0, 2, 1, 3}, 0, 1, {0, 2}, {0, 2}).values(), (std::vector<float>{2, 3, 8, 9}));
}

TEST(MatrixOf, IgnoresTheHeadWhereThereIsNone) {
  const Tensor tensor = counted({2, 2, 3}, {Axis::batch, Axis::position, Axis::feature});
  EXPECT_EQ(matrix_of(tensor, {0, -1, 1, 2}, 1, 7, {1, 2}, {0, 3}).values(), (std::vector<float>{9, 10, 11}));
}

}  // namespace
}  // namespace headscope
