#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/backend/kernels/softmax.h"
#include "tests/core/attention/made_inputs.h"
#include "tests/core/backend/every_target.h"

namespace headscope {
namespace {

constexpr float kKernelsInfinity = std::numeric_limits<float>::infinity();
constexpr float kKernelsNan = std::numeric_limits<float>::quiet_NaN();

std::int64_t padded(std::int64_t count) {
  return (count + kSumLanes - 1) / kSumLanes * kSumLanes;
}

// The exponentials of any number of floats, each 0 or less.
std::vector<float> exponentials_of(std::vector<float> x) {
  const auto count = static_cast<std::int64_t>(x.size());
  x.resize(static_cast<std::size_t>(padded(count)), -kKernelsInfinity);
  exponentials(x.data(), {{0, count}, {}}, 1.0F, 0.0F);
  x.resize(static_cast<std::size_t>(count));
  return x;
}

float float_of(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Every 1021st float from -0 to -104, and every one near the points where the reduction changes its integer.
std::vector<float> dense_arguments() {
  std::vector<float> x;
  for (std::uint32_t bits = 0x80000000U; float_of(bits) >= -104.5F; bits += 1021) x.push_back(float_of(bits));
  for (int n = 1; n < 150; ++n) {
    const float middle = static_cast<float>(-(n - 0.5) * 0.6931471805599453);
    float at = middle;
    for (int step = 0; step < 200; ++step) x.push_back(at = std::nextafter(at, 0.0F));
    at = middle;
    for (int step = 0; step < 200; ++step) x.push_back(at = std::nextafter(at, -200.0F));
  }
  return x;
}

TEST(Exponentials, AreWithinOnePartInTenMillion) {
  const std::vector<float> x = dense_arguments();
  on_every_target([&](bool) {
    const std::vector<float> found = exponentials_of(x);
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = std::exp(static_cast<double>(x[i]));
      const double difference = std::abs(found[i] - expected);
      if (x[i] >= -87.0F) {
        largest = std::max(largest, difference / expected);
      } else {
        ASSERT_TRUE(difference <= 0.51 * std::numeric_limits<float>::denorm_min() + 1e-7 * expected) << x[i];
      }
      ASSERT_FALSE(std::isnan(found[i])) << x[i];
    }
    EXPECT_TRUE(largest <= 1e-7) << largest;
    RecordProperty("largest_relative_error", std::to_string(largest * 1e9));
  });
}

TEST(Exponentials, AreTheSameBitsOnEveryTargetThatFuses) {
  const std::vector<float> x = dense_arguments();
  std::vector<float> first;
  on_every_target([&](bool fuses) {
    if (!fuses) return;
    const std::vector<float> found = exponentials_of(x);
    if (first.empty()) first = found;
    EXPECT_EQ(std::memcmp(first.data(), found.data(), first.size() * sizeof(float)), 0);
  });
}

TEST(Exponentials, OfWhatIsNotOrdinary) {
  on_every_target([](bool) {
    const std::vector<float> x{0,      -0.0F,   -kKernelsInfinity, kKernelsNan, -kKernelsNan,
                               -3e38F, -103.9F, -104.0F,           -1e-40F};
    const std::vector<float> e = exponentials_of(x);
    EXPECT_EQ(e[0], 1.0F);
    EXPECT_EQ(e[1], 1.0F);
    EXPECT_EQ(e[2], 0.0F);
    EXPECT_TRUE(std::isnan(e[3]));
    EXPECT_TRUE(std::isnan(e[4]));
    EXPECT_EQ(e[5], 0.0F);
    EXPECT_EQ(e[6], std::numeric_limits<float>::denorm_min());
    EXPECT_EQ(e[7], 0.0F);
    EXPECT_EQ(e[8], 1.0F);
    for (float value : e) EXPECT_FALSE(std::signbit(value) && value == 0);
  });
}

TEST(Exponentials, NeverGrowWhenTheArgumentFalls) {
  const std::vector<float> x = dense_arguments();
  on_every_target([&](bool) {
    const std::vector<float> e = exponentials_of(x);
    // Neighbours may differ by their rounding only.
    for (std::size_t i = 1; i < e.size() && x[i] < x[i - 1]; ++i) ASSERT_TRUE(e[i] <= e[i - 1] * (1 + 2e-7F)) << x[i];
  });
}

struct Row {
  std::int64_t key_len;
  KeySpans spans;
};
const Row kRows[] = {
    {1, {{0, 1}, {}}},     {3, {{0, 3}, {}}},           {16, {{0, 16}, {}}},          {17, {{0, 17}, {}}},
    {70, {{0, 33}, {}}},   {200, {{48, 111}, {}}},      {300, {{16, 40}, {96, 299}}}, {64, {{}, {}}},
    {127, {{0, 127}, {}}}, {129, {{0, 16}, {112, 129}}}};

std::vector<float> cells_of(const Row& row, std::uint32_t seed) {
  std::vector<float> cells = random_values(padded(row.key_len), seed);
  for (const KeySpan& span : {row.spans.first, row.spans.second}) {
    for (std::int64_t j = span.end; j < padded(span.end); ++j) cells[static_cast<std::size_t>(j)] = -kKernelsInfinity;
  }
  return cells;
}

bool inside(const KeySpans& spans, std::int64_t j) {
  return (spans.first.begin <= j && j < spans.first.end) || (spans.second.begin <= j && j < spans.second.end);
}

TEST(SoftmaxRow, SumsOverSixteenLanesInTheOrderOfKeys) {
  for (const Row& row : kRows) {
    on_every_target([&](bool) {
      std::vector<float> cells = cells_of(row, 7);
      const float max = largest_cell(cells.data(), row.spans);
      const float scaled_max = max * 0.25F;
      float expected_max = -kKernelsInfinity;
      for (std::int64_t j = 0; j < row.key_len; ++j) {
        if (inside(row.spans, j)) expected_max = std::max(expected_max, cells[static_cast<std::size_t>(j)]);
      }
      ASSERT_EQ(max, expected_max);
      if (max == -kKernelsInfinity) return;
      const std::vector<float> scores = cells;
      const float sum = exponentials(cells.data(), row.spans, 0.25F, scaled_max);
      float lanes[kSumLanes] = {};
      for (std::int64_t j = 0; j < row.key_len; ++j) {
        const auto at = static_cast<std::size_t>(j);
        if (!inside(row.spans, j)) {
          const bool padding = scores[at] == -kKernelsInfinity;
          ASSERT_TRUE(padding || cells[at] == scores[at]) << "outside the spans nothing is written";
          continue;
        }
        const double expected = std::exp(static_cast<double>(scores[at] * 0.25F - scaled_max));
        ASSERT_TRUE(std::abs(cells[at] - expected) <= 1e-7 * expected);
        lanes[j % kSumLanes] += cells[at];
      }
      for (std::int64_t half = kSumLanes / 2; half > 0; half /= 2) {
        for (std::int64_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
      }
      EXPECT_EQ(sum, lanes[0]);
    });
  }
}

TEST(SoftmaxRow, TheLargestCellIsNeverANegativeZero) {
  on_every_target([](bool) {
    std::vector<float> cells(16, -0.0F);
    EXPECT_FALSE(std::signbit(largest_cell(cells.data(), {{0, 16}, {}})));
  });
}

TEST(SoftmaxRow, IsWrittenWholeAtAnyAddressAndNothingElse) {
  for (const Row& row : kRows) {
    for (std::int64_t offset : {0, 1, 5, 15}) {
      for (bool past_caches : {false, true}) {
        on_every_target([&](bool) {
          std::vector<float> cells = cells_of(row, 9);
          for (float& cell : cells) cell = cell == -kKernelsInfinity ? 0.0F : cell;
          std::vector<float> alone = cells;
          const std::vector<float> before = cells;
          std::vector<float> out(static_cast<std::size_t>(row.key_len + 40), 77.0F);
          multiply_cells_to(cells.data(), row.spans, 0.3F, out.data() + offset, row.key_len, past_caches);
          finish_stores();
          multiply_cells(alone.data(), row.spans, 0.3F);
          for (std::int64_t k = 0; k < row.key_len + 40; ++k) {
            const std::int64_t j = k - offset;
            const bool mine = 0 <= j && j < row.key_len;
            const float product = mine && inside(row.spans, j) ? before[static_cast<std::size_t>(j)] * 0.3F : 0.0F;
            ASSERT_EQ(out[static_cast<std::size_t>(k)], mine ? product : 77.0F) << k;
            if (mine && inside(row.spans, j)) {
              ASSERT_EQ(cells[static_cast<std::size_t>(j)], product);
              ASSERT_EQ(alone[static_cast<std::size_t>(j)], product);
            }
          }
        });
      }
    }
  }
}

TEST(SoftmaxRow, WeightsFromStatisticsAreTheBitsOfTheTwoSteps) {
  for (std::int64_t count : {1, 5, 16, 31, 100}) {
    on_every_target([&](bool) {
      std::vector<float> cells = random_values(padded(count), 3);
      std::vector<float> out(static_cast<std::size_t>(count + 1), 5.0F);
      weights_by_statistics(cells.data(), count, 2.0F, 2.5F, 0.7F, out.data());
      exponentials(cells.data(), {{0, count}, {}}, 2.0F, 2.5F);
      multiply_cells(cells.data(), {{0, count}, {}}, 0.7F);
      EXPECT_EQ(std::memcmp(cells.data(), out.data(), static_cast<std::size_t>(count) * sizeof(float)), 0);
      EXPECT_EQ(out[static_cast<std::size_t>(count)], 5.0F);
    });
  }
}

TEST(SoftmaxRow, ScalesInDoublePrecision) {
  for (std::int64_t count : {1, 2, 7, 16, 33}) {
    on_every_target([&](bool) {
      for (double scale : {0.125, 1 / std::sqrt(80.0), -3.3e7, 1e-39, 1e300}) {
        std::vector<float> cells = random_values(count, 4);
        cells[0] = count % 2 == 0 ? kKernelsInfinity : 3.4e38F;
        const std::vector<float> before = cells;
        scale_cells(cells.data(), count, scale);
        for (std::size_t j = 0; j < cells.size(); ++j) EXPECT_EQ(cells[j], static_cast<float>(before[j] * scale));
      }
    });
  }
}

}  // namespace
}  // namespace headscope
