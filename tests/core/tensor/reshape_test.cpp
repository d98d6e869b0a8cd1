// Tensors in another shape: when they share their storage, and when they are copied.
#include <gtest/gtest.h>

#include <numeric>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/tensor/tensor.h"
#include "tests/core/tensor/counting_tensors.h"

namespace headscope {
namespace {

TEST(Tensor, ReshapingADenseTensorSharesItsStorage) {
  const Tensor tensor = counting({2, 3, 8}, kThree);
  const Tensor heads = tensor.reshaped({2, 3, 2, 4}, {Axis::batch, Axis::position, Axis::head, Axis::feature});
  EXPECT_EQ(heads.data(), tensor.data());
  EXPECT_EQ(heads.values(), tensor.values());
  const Tensor flat = tensor.reshaped({48}, {Axis::feature});
  EXPECT_EQ(flat.data(), tensor.data());
  EXPECT_EQ(flat.strides(), Strides{1});
}

TEST(Tensor, ReshapingAStridedViewCopiesOnlyWhenItMust) {
  const Tensor tensor = counting({2, 3, 8}, kThree);
  // The last axis of a slice splits in place; merging it with the one before does not.
  const Tensor slice = tensor.sliced(2, 0, 4);
  const Tensor split = slice.reshaped({2, 3, 2, 2}, {Axis::batch, Axis::position, Axis::head, Axis::feature});
  EXPECT_EQ(split.data(), tensor.data());
  EXPECT_EQ(split.values(), slice.values());
  const Tensor merged = slice.reshaped({2, 12}, {Axis::batch, Axis::feature});
  EXPECT_NE(merged.data(), tensor.data());
  EXPECT_EQ(merged.values(), slice.values());
  const Tensor transposed = tensor.permuted({0, 2, 1}).reshaped({2, 24}, {Axis::batch, Axis::feature});
  EXPECT_EQ(transposed.values(), tensor.permuted({0, 2, 1}).values());
}

TEST(Tensor, ReshapesEveryWayAroundAxesOfSizeOne) {
  const Tensor tensor = counting({1, 6, 1, 4}, kFour);
  for (const Shape& shape :
       {Shape{6, 4}, Shape{1, 24}, Shape{24, 1, 1}, Shape{2, 1, 3, 1, 4}, Shape{3, 8}, Shape{24}}) {
    Axes axes;
    for (int i = 0; i < shape.count; ++i) axes.push_back(Axis::feature);
    const Tensor reshaped = tensor.reshaped(shape, axes);
    EXPECT_EQ(reshaped.values(), tensor.values()) << to_string(shape);
    EXPECT_EQ(reshaped.data(), tensor.data()) << to_string(shape);
  }
  const Tensor one = counting({1, 1, 1}, kThree);
  EXPECT_EQ(one.reshaped({1}, {Axis::feature}).values(), one.values());
}

}  // namespace
}  // namespace headscope
