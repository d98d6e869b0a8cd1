// Rows of projections in the order of rotary pairs: found where they explain a difference, and nowhere else.
#include "core/compare/row_order.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "core/compare/comparison.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

Tensor drawn(std::int64_t rows, std::int64_t features, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(rows * features));
  for (float& value : values) value = normal(random);
  return Tensor::of({1, rows, features}, {Axis::batch, Axis::query, Axis::feature}, std::move(values));
}

// The features of each head with those side by side that were half a head apart.
Tensor in_pairs(const Tensor& halves, std::int64_t heads, float noise = 0) {
  std::vector<float> values = halves.values();
  const std::vector<float> from = values;
  const std::int64_t features = halves.dim(2), head_dim = features / heads;
  for (std::int64_t row = 0; row < halves.dim(1); ++row) {
    for (std::int64_t head = 0; head < heads; ++head) {
      const auto first = static_cast<std::size_t>(row * features + head * head_dim);
      const auto half = static_cast<std::size_t>(head_dim / 2);
      for (std::size_t i = 0; i < half; ++i) {
        values[first + 2 * i] = from[first + i] + noise;
        values[first + 2 * i + 1] = from[first + half + i];
      }
    }
  }
  return Tensor::of(halves.shape(), {Axis::batch, Axis::query, Axis::feature}, std::move(values));
}

TEST(RowOrder, IsFoundInBothDirections) {
  for (const std::int64_t heads : {1, 2, 4}) {
    const Tensor halves = drawn(5, 32, 7), pairs = in_pairs(halves, heads);
    EXPECT_EQ(paired_rows(halves, pairs, heads, {}), PairedRows::b) << heads;
    EXPECT_EQ(paired_rows(pairs, halves, heads, {}), PairedRows::a) << heads;
    EXPECT_EQ(paired_rows(halves, pairs, heads * 2, {}), std::nullopt) << "heads of another size";
  }
  const Tensor halves = drawn(3, 16, 8);
  EXPECT_EQ(paired_rows(halves, in_pairs(halves, 4), 4, {}), PairedRows::either) << "four features a head";
}

TEST(RowOrder, IsClaimedOnlyWhereItExplainsTheDifference) {
  const Tensor halves = drawn(5, 32, 7);
  EXPECT_EQ(paired_rows(halves, halves, 2, {}), std::nullopt) << "nothing to explain";
  EXPECT_EQ(paired_rows(halves, drawn(5, 32, 9), 2, {}), std::nullopt) << "other numbers";
  EXPECT_EQ(paired_rows(halves, in_pairs(halves, 2, 1e-7f), 2, {}), PairedRows::b) << "rounding";
  EXPECT_EQ(paired_rows(halves, in_pairs(halves, 2, 1e-3f), 2, {}), std::nullopt) << "more than rounding";
  EXPECT_EQ(paired_rows(halves, drawn(5, 16, 7), 2, {}), std::nullopt) << "another width";
  const Tensor zeros = Tensor::zeros({1, 5, 32}, {Axis::batch, Axis::query, Axis::feature});
  EXPECT_EQ(paired_rows(zeros, zeros, 2, {}), std::nullopt);
  std::vector<float> values = in_pairs(halves, 2).values();
  values[3] = std::numeric_limits<float>::quiet_NaN();
  const Tensor broken = Tensor::of(halves.shape(), {Axis::batch, Axis::query, Axis::feature}, std::move(values));
  EXPECT_EQ(paired_rows(halves, broken, 2, {}), std::nullopt);
}

TEST(HeadOrder, IsFoundWhereEveryHeadIsOneOfTheOther) {
  const Tensor a = drawn(5, 32, 7);
  const auto with_heads = [&](const std::vector<std::int64_t>& order, float noise = 0) {
    std::vector<float> values = a.values();
    const std::vector<float> from = values;
    const auto width = static_cast<std::int64_t>(32 / order.size());
    for (std::int64_t at = 0; at < a.size(); ++at) {
      const std::int64_t head = at % 32 / width, source = order[static_cast<std::size_t>(head)];
      values[static_cast<std::size_t>(at)] = from[static_cast<std::size_t>(at + (source - head) * width)] + noise;
    }
    return Tensor::of(a.shape(), a.axes(), std::move(values));
  };
  const std::vector<std::int64_t> turned{2, 0, 3, 1}, twice{0, 1, 1, 3};
  EXPECT_EQ(head_order(a, with_heads(turned), 4, {}), turned);
  EXPECT_EQ(head_order(a, with_heads(turned, 1e-7f), 4, {}), turned) << "rounding";
  EXPECT_EQ(head_order(a, with_heads(turned, 1e-3f), 4, {}), std::nullopt) << "more than rounding";
  EXPECT_EQ(head_order(a, with_heads(twice), 4, {}), std::nullopt) << "a head stands there twice";
  EXPECT_EQ(head_order(a, a, 4, {}), std::nullopt) << "the same order";
  EXPECT_EQ(head_order(a, with_heads(turned), 2, {}), std::nullopt) << "heads of another size";
  EXPECT_EQ(head_order(a, drawn(5, 16, 7), 4, {}), std::nullopt) << "another width";
}

TEST(RowOrder, ResultsThatDifferOtherwiseHaveNoSentence) {
  const auto a = small_trace(4), b = small_trace(4, {{"mask", "causal"}}), c = small_trace(4, {{"seed", "3"}});
  for (const auto& other : {a, b, c}) {
    EXPECT_EQ(compare_traces(*a, *other, {}).rows, "");
  }
}

}  // namespace
}  // namespace headscope
