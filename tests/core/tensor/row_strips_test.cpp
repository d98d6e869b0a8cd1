#include "core/tensor/row_strips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace headscope {
namespace {

struct Visited {
  std::vector<std::pair<Index, std::int64_t>> rows;
  std::vector<float> values;
};

Visited visited(const Tensor& tensor) {
  Visited result;
  for_each_row(tensor, [&](const Index& leading, std::int64_t row, std::span<const float> values) {
    result.rows.emplace_back(leading, row);
    result.values.insert(result.values.end(), values.begin(), values.end());
  });
  return result;
}

Tensor strips_counting(const Shape& shape, const Axes& axes) {
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  std::iota(values.begin(), values.end(), 0.0F);
  return Tensor::of(shape, axes, std::move(values));
}

TEST(RowStrips, EveryRowOnceInOrderWhateverHoldsIt) {
  const Tensor stored = strips_counting({2, 3, 4, 5}, {Axis::batch, Axis::head, Axis::query, Axis::key});
  const Visited rows = visited(stored);
  ASSERT_EQ(rows.rows.size(), 24U);
  EXPECT_EQ(rows.rows[17], std::make_pair((Index{1, 1}), std::int64_t{1}));
  EXPECT_EQ(rows.values, stored.values());
  const Tensor computed = Tensor::computed(
      stored.shape(), stored.axes(), [&](const Region& region, std::span<float> out) { stored.read(region, out); });
  for (const Tensor& same : {stored.permuted({1, 0, 3, 2}), computed.permuted({1, 0, 3, 2}), stored.sliced(3, 1, 4),
                             computed.sliced(3, 1, 4), computed}) {
    const Visited other = visited(same);
    EXPECT_EQ(other.values, same.values());
    EXPECT_EQ(static_cast<std::int64_t>(other.rows.size()), same.size() / same.dim(3));
  }
  EXPECT_EQ(visited(strips_counting({7}, {Axis::feature})).rows,
            (std::vector<std::pair<Index, std::int64_t>>{{Index{}, 0}}));
  EXPECT_TRUE(visited(Tensor::zeros({0, 3}, {Axis::query, Axis::key})).rows.empty());
  EXPECT_TRUE(visited(Tensor::zeros({3, 0}, {Axis::query, Axis::key})).rows.empty());
}

TEST(RowStrips, ALargeComputedTensorIsReadInFewWholeRows) {
  const Shape shape{2, 3000, 4096};
  std::int64_t most = 0, reads = 0;
  const Tensor computed =
      Tensor::computed(shape, {Axis::head, Axis::query, Axis::key}, [&](const Region& region, std::span<float> out) {
        most = std::max(most, static_cast<std::int64_t>(out.size()));
        ++reads;
        EXPECT_EQ(region[2], (Range{0, 4096}));
        EXPECT_EQ(region[0].size(), 1);
        std::fill(out.begin(), out.end(), static_cast<float>(region[1].begin));
      });
  std::int64_t rows = 0;
  for_each_row(computed, [&](const Index&, std::int64_t, std::span<const float>) { ++rows; });
  EXPECT_EQ(rows, 6000);
  EXPECT_EQ(most, kComputedPiece);
  EXPECT_EQ(reads, 2 * 3);
}

}  // namespace
}  // namespace headscope
