#include "core/tensor/copy_values.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/base/assert.h"

namespace headscope {
namespace {

const Axes kThree{Axis::head, Axis::position, Axis::feature};

Tensor counting(Shape shape) {
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  std::iota(values.begin(), values.end(), 0.0F);
  return Tensor::of(shape, kThree, values);
}

TEST(CopyValues, FillsAPartOfAWholeAndNothingElse) {
  const Tensor from = counting({2, 3, 4});
  const Tensor computed = Tensor::computed(
      from.shape(), kThree, [from](const Region& region, std::span<float> out) { from.read(region, out); });
  const Tensor strided = from.permuted({0, 2, 1});
  for (const Tensor& source : {from, computed, strided}) {
    Tensor whole = Tensor::zeros({4, source.dim(1) + 2, source.dim(2) + 1}, kThree);
    Tensor part = whole.writable_sliced(0, 1, 3).writable_sliced(1, 2, source.dim(1) + 2);
    Tensor to = part.writable_sliced(2, 0, source.dim(2));
    copy_values(source, to);
    EXPECT_EQ(to.values(), source.values());
    const std::vector<float> all = whole.values();
    const std::vector<float> copied = source.values();
    EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0.0F), std::accumulate(copied.begin(), copied.end(), 0.0F));
  }
}

TEST(CopyValues, OtherShapesAreABugAndNothingIsCopiedFromNothing) {
  Tensor small = Tensor::zeros({1, 2, 3}, kThree);
  EXPECT_THROW(copy_values(counting({1, 3, 2}), small), Bug);
  Tensor empty = Tensor::zeros({1, 0, 3}, kThree);
  copy_values(Tensor::zeros({1, 0, 3}, kThree), empty);
}

}  // namespace
}  // namespace headscope
