#include "core/tensor/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace headscope {
namespace {

constexpr float kStatisticsInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor row(std::vector<float> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return Tensor::of({count}, {Axis::feature}, std::move(values));
}

TEST(Statistics, OfASmallRow) {
  const Statistics s = statistics_of(row({1, 2, 3, 4}));
  EXPECT_EQ(s.count, 4);
  EXPECT_EQ(s.nan_count, 0);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.max, 4);
  EXPECT_EQ(s.mean, 2.5);
  EXPECT_TRUE(std::abs(s.std - std::sqrt(1.25)) <= 1e-15);
  EXPECT_TRUE(std::abs(s.l2_norm - std::sqrt(30.0)) <= 1e-15);
}

TEST(Statistics, NonFiniteValuesAreCountedAndLeftOut) {
  const Statistics s = statistics_of(row({kNan, -kStatisticsInfinity, 2, kStatisticsInfinity, 4, kNan}));
  EXPECT_EQ(s.count, 6);
  EXPECT_EQ(s.nan_count, 2);
  EXPECT_EQ(s.inf_count, 2);
  EXPECT_EQ(s.min, 2);
  EXPECT_EQ(s.max, 4);
  EXPECT_EQ(s.mean, 3);
  EXPECT_EQ(s.std, 1);
}

TEST(Statistics, WithoutAFiniteValueThereIsNoMean) {
  const Statistics s = statistics_of(row({kNan, kStatisticsInfinity}));
  EXPECT_TRUE(std::isnan(s.min) && std::isnan(s.max) && std::isnan(s.mean) && std::isnan(s.std));
  EXPECT_EQ(s.l2_norm, 0);
  EXPECT_TRUE(std::isnan(statistics_of(Tensor()).mean));
  EXPECT_EQ(statistics_of(Tensor::zeros({0}, {Axis::feature})).count, 0);
}

TEST(Statistics, ALargeOffsetDoesNotDrownTheDeviation) {
  EXPECT_EQ(statistics_of(row({1e8F, 1e8F, 1e8F})).std, 0);
  const Statistics s = statistics_of(row({16777216, 16777218, 16777216, 16777218}));
  EXPECT_EQ(s.mean, 16777217.0);
  EXPECT_EQ(s.std, 1);
}

TEST(Statistics, TheLargestFloatsDoNotOverflow) {
  const float large = std::numeric_limits<float>::max();
  const Statistics s = statistics_of(row({large, -large}));
  EXPECT_EQ(s.mean, 0);
  EXPECT_TRUE(std::abs(s.std / large - 1) <= 1e-12);
  EXPECT_TRUE(std::abs(s.l2_norm / large - std::sqrt(2.0)) <= 1e-12);
}

TEST(Statistics, AComputedTensorIsReadInPartsWithTheSameResult) {
  const Shape shape{2, 3, 1100, 1031};
  const Axes axes{Axis::batch, Axis::head, Axis::query, Axis::key};
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 2654435761U % 65536) / 8192 - 3;
  const Tensor stored = Tensor::of(shape, axes, values);
  std::int64_t most = 0;
  const Tensor computed = Tensor::computed(shape, axes, [&](const Region& region, std::span<float> out) {
    most = std::max(most, static_cast<std::int64_t>(out.size()));
    stored.read(region, out);
  });
  const Statistics a = statistics_of(stored);
  const Statistics b = statistics_of(computed);
  EXPECT_LE(most, 1 << 22);
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.std, b.std);
  EXPECT_EQ(a.l2_norm, b.l2_norm);
  EXPECT_EQ(histogram_of(stored, 50).counts, histogram_of(computed, 50).counts);
  const Statistics c = statistics_of(stored.permuted({0, 1, 3, 2}));
  EXPECT_EQ(a.min, c.min);
  EXPECT_TRUE(std::abs(a.std - c.std) <= 1e-12);
}

// Against plain sums, with what is not finite at every place of a block, alone and in rows.
TEST(Statistics, AnyPieceOfValuesGivesWhatPlainSumsGive) {
  std::mt19937 random(5);
  for (int k = 0; k < 300; ++k) {
    const auto count = std::uniform_int_distribution<std::size_t>(1, k % 10 == 0 ? 20000 : 70)(random);
    const double share = (k % 4) / 3.0;  // of values that are not finite
    std::vector<float> values(count);
    std::int64_t finite = 0, nan = 0, inf = 0;
    double sum = 0, low = kStatisticsInfinity, high = -kStatisticsInfinity;
    for (float& value : values) {
      value = std::normal_distribution<float>(100, 3)(random);
      if (std::uniform_real_distribution<double>(0, 1)(random) < share)
        value = k % 2 == 0 ? kNan : -kStatisticsInfinity;
      nan += std::isnan(value) ? 1 : 0;
      inf += std::isinf(value) ? 1 : 0;
      if (!std::isfinite(value)) continue;
      ++finite;
      sum += value;
      low = std::min(low, static_cast<double>(value));
      high = std::max(high, static_cast<double>(value));
    }
    double spread = 0, squares = 0;
    for (const float value : values) {
      if (!std::isfinite(value)) continue;
      const double away = value - sum / static_cast<double>(finite);
      spread += away * away;
      squares += static_cast<double>(value) * value;
    }
    const Statistics whole = statistics_of(row(values));
    StatisticsSum pieces;
    for (std::size_t begin = 0; begin < count;) {
      const auto size =
          std::uniform_int_distribution<std::size_t>(0, std::min<std::size_t>(count - begin, 6000))(random);
      pieces.add(std::span<const float>(values).subspan(begin, size));
      begin += size;
    }
    for (const Statistics& s : {whole, pieces.result()}) {
      ASSERT_EQ(s.count, static_cast<std::int64_t>(count));
      EXPECT_EQ(s.nan_count, nan);
      EXPECT_EQ(s.inf_count, inf);
      EXPECT_EQ(std::isnan(s.mean), finite == 0);
      if (finite == 0) continue;
      const double n = static_cast<double>(finite);
      EXPECT_EQ(s.min, low);
      EXPECT_EQ(s.max, high);
      EXPECT_TRUE(std::abs(s.mean - sum / n) <= 1e-10) << s.mean;
      EXPECT_TRUE(std::abs(s.std - std::sqrt(spread / n)) <= 1e-9) << s.std;
      EXPECT_TRUE(std::abs(s.l2_norm / std::sqrt(squares) - 1) <= 1e-12) << s.l2_norm;
    }
    EXPECT_EQ(std::isnan(whole.mean) || whole.mean == pieces.result().mean, true);
    EXPECT_EQ(std::isnan(whole.std) || whole.std == pieces.result().std, true);
  }
}

TEST(Histogram, CountsEveryFiniteValueOnce) {
  const Histogram h = histogram_of(row({0, 1, 2, 3, 4, kNan, kStatisticsInfinity, -kStatisticsInfinity}), 4);
  EXPECT_EQ(h.low, 0);
  EXPECT_EQ(h.high, 4);
  EXPECT_EQ(h.counts, (std::vector<std::int64_t>{1, 1, 1, 2}));
}

TEST(Histogram, OfEqualValuesAndOfNoneAtAll) {
  const Histogram h = histogram_of(row({2, 2, 2}), 3);
  EXPECT_EQ(h.low, 2);
  EXPECT_EQ(h.high, 2);
  EXPECT_EQ(std::accumulate(h.counts.begin(), h.counts.end(), std::int64_t{0}), 3);
  const Histogram none = histogram_of(row({kNan}), 3);
  EXPECT_EQ(none.counts, (std::vector<std::int64_t>{0, 0, 0}));
}

TEST(Histogram, TheWidestRangeDoesNotOverflow) {
  const float large = std::numeric_limits<float>::max();
  EXPECT_EQ(histogram_of(row({-large, 0, large}), 2).counts, (std::vector<std::int64_t>{1, 2}));
}

}  // namespace
}  // namespace headscope
