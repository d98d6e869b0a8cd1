#include "core/tensor/tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "tests/core/tensor/counting_tensors.h"

namespace headscope {
namespace {

// The same numbers as counting(), but computed when read.
Tensor computed_counting(Shape shape, Axes axes) {
  const Strides strides = row_major_strides(shape);
  return Tensor::computed(shape, axes, [shape, strides](const Region& region, std::span<float> out) {
    Index index;
    for (const Range& range : region) index.push_back(range.begin);
    for (float& value : out) {
      std::int64_t offset = 0;
      for (int axis = 0; axis < shape.count; ++axis) offset += index[axis] * strides[axis];
      value = static_cast<float>(offset);
      for (int axis = shape.count - 1; axis >= 0 && ++index[axis] == region[axis].end; --axis) {
        index[axis] = region[axis].begin;
      }
    }
  });
}

TEST(Tensor, ZerosIsDenseZeroAndAligned) {
  Tensor tensor = Tensor::zeros({2, 3, 5}, kThree);
  EXPECT_TRUE(tensor.stored());
  EXPECT_TRUE(tensor.dense());
  EXPECT_EQ(tensor.size(), 30);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64, 0U);
  for (float value : tensor.values()) EXPECT_EQ(value, 0.0F);
  tensor.mutable_data()[29] = 7;
  EXPECT_EQ(tensor.at({1, 2, 4}), 7.0F);
}

TEST(Tensor, AnEmptyTensorIsEmpty) {
  const Tensor tensor;
  EXPECT_TRUE(tensor.empty());
  EXPECT_EQ(tensor.size(), 0);
  EXPECT_FALSE(tensor.stored());
  EXPECT_TRUE(tensor.values().empty());
  EXPECT_TRUE(tensor.dense_copy().empty());
}

// Large ones come straight from the system, in whole pages.
TEST(Tensor, LargeZerosAreZeroAlignedAndWritableToTheirEnd) {
  for (const std::int64_t count : {(std::int64_t{1} << 20) - 1, std::int64_t{1} << 20, (std::int64_t{5} << 18) + 3}) {
    Tensor tensor = Tensor::zeros({count}, {Axis::feature});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64, 0U) << count;
    EXPECT_EQ(std::count(tensor.data(), tensor.data() + count, 0.0F), count);
    std::fill_n(tensor.mutable_data(), count, 1.0F);
    EXPECT_EQ(tensor.sliced(0, count - 1, count).values(), std::vector<float>{1.0F});
  }
}

TEST(Tensor, AnAxisOfSizeZeroIsStoredButHoldsNothing) {
  const Tensor tensor = Tensor::zeros({2, 0, 3}, kThree);
  EXPECT_FALSE(tensor.empty());
  EXPECT_TRUE(tensor.stored());
  EXPECT_EQ(tensor.size(), 0);
  EXPECT_TRUE(tensor.values().empty());
  EXPECT_EQ(tensor.permuted({1, 0, 2}).shape(), (Shape{0, 2, 3}));
  EXPECT_EQ(tensor.reshaped({0, 6}, {Axis::position, Axis::feature}).shape(), (Shape{0, 6}));
  EXPECT_EQ(Tensor::of({0}, {Axis::feature}, {}).size(), 0);
}

TEST(Tensor, RefusesAnImpossibleSizeWithoutAllocating) {
  EXPECT_THROW(Tensor::zeros({std::int64_t{1} << 50}, {Axis::feature}), Error);
}

TEST(Tensor, OfRefusesAWrongCount) {
  EXPECT_THROW(Tensor::of({2, 2}, {Axis::position, Axis::feature}, {1, 2, 3}), Bug);
}

TEST(Tensor, ReadsARegionOfAStridedView) {
  const Tensor tensor = counting({2, 3, 4, 5}, kFour);
  const Tensor view = tensor.permuted({0, 2, 1, 3});
  EXPECT_EQ(view.shape(), (Shape{2, 4, 3, 5}));
  EXPECT_EQ(view.axes()[1], Axis::position);
  EXPECT_FALSE(view.dense());
  EXPECT_EQ(view.at({1, 3, 2, 4}), tensor.at({1, 2, 3, 4}));
  std::vector<float> out(2 * 2 * 1);
  view.read({{1, 2}, {1, 3}, {2, 3}, {3, 5}}, out);
  EXPECT_EQ(out, (std::vector<float>{tensor.at({1, 2, 1, 3}), tensor.at({1, 2, 1, 4}), tensor.at({1, 2, 2, 3}),
                                     tensor.at({1, 2, 2, 4})}));
}

TEST(Tensor, StoredAndComputedReadTheSame) {
  const Shape shape{3, 4, 5};
  const Tensor stored = counting(shape, kThree);
  const Tensor computed = computed_counting(shape, kThree);
  EXPECT_FALSE(computed.stored());
  EXPECT_EQ(stored.values(), computed.values());
  EXPECT_EQ(computed.at({2, 1, 3}), stored.at({2, 1, 3}));
  for (std::int64_t begin = 0; begin < 4; ++begin) {
    const Region region{{1, 3}, {begin, 4}, {begin, 5}};
    std::vector<float> a(static_cast<std::size_t>(element_count(region))), b = a;
    stored.read(region, a);
    computed.read(region, b);
    EXPECT_EQ(a, b);
  }
  EXPECT_TRUE(computed.dense_copy().stored());
  EXPECT_EQ(computed.dense_copy().values(), stored.values());
}

TEST(Tensor, ReadingOutsideIsABug) {
  const Tensor tensor = counting({2, 3, 4}, kThree);
  std::vector<float> out(4);
  EXPECT_THROW(tensor.read({{0, 1}, {0, 1}, {1, 5}}, out), Bug);
  EXPECT_THROW(tensor.read({{0, 1}, {2, 1}, {0, 4}}, out), Bug);
  EXPECT_THROW(tensor.read({{0, 1}, {0, 1}}, out), Bug);
  EXPECT_THROW(tensor.read({{0, 1}, {0, 1}, {0, 3}}, out), Bug) << "four places for three values";
  EXPECT_THROW(tensor.at({0, 3, 0}), Bug);
  EXPECT_THROW(tensor.at({0, 0, -1}), Bug);
}

TEST(Tensor, ViewsAreNotWritable) {
  Tensor tensor = Tensor::zeros({2, 3, 4}, kThree);
  EXPECT_NO_THROW(tensor.mutable_data());
  EXPECT_THROW(tensor.sliced(0, 0, 1).mutable_data(), Bug);
  EXPECT_THROW(tensor.permuted({1, 0, 2}).mutable_data(), Bug);
}

TEST(Tensor, AComputedTensorHasNoStorage) {
  const Tensor computed = computed_counting({2, 3}, {Axis::position, Axis::feature});
  EXPECT_THROW(computed.data(), Bug);
  EXPECT_THROW(computed.sliced(0, 0, 1).data(), Bug);
  EXPECT_THROW(computed.sliced(0, 1, 3), Bug);
}

// The same slices, permutations and axes of size 1 of a stored and of a computed tensor.
TEST(Tensor, ViewsOfAComputedTensorReadWhatViewsOfAStoredOneRead) {
  std::mt19937 random(3);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  int transposed = 0, added = 0;
  for (int k = 0; k < 500; ++k) {
    const Shape shape{draw(1, 3), draw(1, 4), draw(1, 5), draw(1, 6)};
    Tensor stored = counting(shape, kFour), computed = computed_counting(shape, kFour);
    for (std::int64_t steps = draw(1, 5); steps > 0; --steps) {
      const int rank = stored.rank();
      const std::int64_t kind = draw(0, 3);
      if (kind <= 1) {
        const int axis = static_cast<int>(draw(0, rank - 1));
        const std::int64_t begin = draw(0, stored.dim(axis) - 1), end = draw(begin + 1, stored.dim(axis));
        stored = stored.sliced(axis, begin, end);
        computed = computed.sliced(axis, begin, end);
      } else if (kind == 2 && rank == 4) {
        stored = stored.permuted({0, 3, 2, 1});
        computed = computed.permuted({0, 3, 2, 1});
        ++transposed;
      } else if (kind == 3) {
        Shape to;
        Axes axes;
        for (int axis = 0; axis < rank; ++axis) {
          if (stored.dim(axis) == 1 && rank > 1 && draw(0, 1) == 0 && (to.count > 0 || axis + 1 < rank)) continue;
          to.push_back(stored.dim(axis));
          axes.push_back(stored.axes()[axis]);
        }
        if (to.count < 4 && draw(0, 1) == 0) {
          to.push_back(1);
          axes.push_back(Axis::feature);
          ++added;
        }
        stored = stored.reshaped(to, axes);
        computed = computed.reshaped(to, axes);
      }
    }
    ASSERT_FALSE(computed.stored());
    ASSERT_EQ(computed.shape(), stored.shape());
    EXPECT_EQ(computed.axes(), stored.axes());
    ASSERT_EQ(computed.values(), stored.values());
    Region region;
    Index cell;
    for (const std::int64_t size : stored.shape()) {
      const std::int64_t begin = draw(0, size - 1);
      region.push_back({begin, draw(begin, size)});
      cell.push_back(draw(0, size - 1));
    }
    std::vector<float> a(static_cast<std::size_t>(element_count(region))), b(a.size());
    stored.read(region, a);
    computed.read(region, b);
    EXPECT_EQ(a, b);
    EXPECT_EQ(computed.at(cell), stored.at(cell));
  }
  EXPECT_GT(transposed, 50);
  EXPECT_GT(added, 50);
}

TEST(Tensor, OfAComputedTensorOnlyAxesOfSizeOneComeAndGo) {
  const Tensor computed = computed_counting({2, 3, 4}, kThree);
  EXPECT_THROW(computed.reshaped({6, 4}, {Axis::position, Axis::feature}), Bug);
  EXPECT_THROW(computed.reshaped({4, 3, 2}, kThree), Bug);
}

TEST(Tensor, AWritableSliceWritesIntoTheWhole) {
  Tensor whole = Tensor::zeros({2, 3}, {Axis::position, Axis::feature});
  Tensor row = whole.writable_sliced(0, 1, 2);
  row.mutable_data()[2] = 5;
  EXPECT_EQ(whole.at({1, 2}), 5.0F);
  Tensor view = whole.sliced(0, 0, 1);
  EXPECT_THROW(view.mutable_data(), Bug);
  EXPECT_THROW(view.writable_sliced(0, 0, 1), Bug);
}

TEST(Tensor, PermutationNamesEachAxisOnce) {
  const Tensor tensor = counting({2, 3}, {Axis::position, Axis::feature});
  EXPECT_THROW(tensor.permuted({0, 0}), Bug);
  EXPECT_THROW(tensor.permuted({0}), Bug);
  EXPECT_THROW(tensor.permuted({0, 2}), Bug);
}

TEST(Tensor, AViewKeepsItsOwnerAlive) {
  auto owner = std::make_shared<std::vector<float>>(counted(6));
  const std::weak_ptr<std::vector<float>> watch = owner;
  Tensor view = Tensor::view_of(owner, owner->data(), {2, 3}, {3, 1}, {Axis::position, Axis::feature}).sliced(0, 1, 2);
  owner.reset();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(view.values(), (std::vector<float>{3, 4, 5}));
  view = {};
  EXPECT_TRUE(watch.expired());
}

TEST(Tensor, SameStorageMeansTheSameNumbersReadTheSameWay) {
  const Tensor a = counting({2, 3}, {Axis::position, Axis::feature});
  const Tensor b = counting({2, 3}, {Axis::position, Axis::feature});
  const Tensor c = computed_counting({2, 3}, {Axis::position, Axis::feature});
  EXPECT_TRUE(same_storage(a, a.sliced(0, 0, 2)));
  EXPECT_FALSE(same_storage(a, b));
  EXPECT_FALSE(same_storage(a, a.permuted({1, 0})));
  EXPECT_FALSE(same_storage(a.sliced(0, 0, 1), a.sliced(0, 1, 2)));
  EXPECT_TRUE(same_storage(c, Tensor(c)));
  EXPECT_TRUE(same_storage(c.sliced(0, 1, 2), c.sliced(0, 1, 2)));
  EXPECT_EQ(c.sliced(0, 1, 2).storage(), c.sliced(0, 1, 2).storage());
  EXPECT_FALSE(same_storage(c.sliced(0, 0, 1), c.sliced(0, 1, 2)));
  EXPECT_FALSE(same_storage(c, c.permuted({1, 0})));
  EXPECT_FALSE(same_storage(a, c));
  EXPECT_TRUE(same_storage(Tensor(), Tensor()));
}

TEST(Tensor, MatrixAtGivesTheSliceOfABatchAndHead) {
  const Tensor four = counting({2, 3, 4, 5}, kFour);
  const Tensor matrix = matrix_at(four, 1, 2);
  EXPECT_EQ(matrix.shape(), (Shape{4, 5}));
  EXPECT_EQ(matrix.at({3, 4}), four.at({1, 2, 3, 4}));
  EXPECT_EQ(matrix.data(), four.data() + (1 * 3 + 2) * 20);
  const Tensor three = counting({2, 4, 5}, kThree);
  EXPECT_EQ(matrix_at(three, 1, 99).at({2, 3}), three.at({1, 2, 3}));
  const Tensor computed = matrix_at(computed_counting({2, 3, 4, 5}, kFour), 1, 2);
  EXPECT_FALSE(computed.stored());
  EXPECT_EQ(computed.values(), matrix.values());
  EXPECT_THROW(matrix_at(four, 2, 0), Bug);
  EXPECT_THROW(matrix_at(four, 0, 3), Bug);
  const Tensor narrow = matrix_at(counting({2, 3, 1, 5}, kFour).permuted({0, 1, 3, 2}), 1, 1);
  EXPECT_EQ(narrow.shape(), (Shape{5, 1}));
  EXPECT_EQ(narrow.values(), (std::vector<float>{20, 21, 22, 23, 24}));
}

}  // namespace
}  // namespace headscope
