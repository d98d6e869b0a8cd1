// Columns of rows on every target, against plain loops.
#include "core/backend/kernels/column_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/core/attention/made_inputs.h"
#include "tests/core/backend/every_target.h"

namespace headscope {
namespace {

constexpr float kSumsInfinity = std::numeric_limits<float>::infinity();
constexpr float kSumsNan = std::numeric_limits<float>::quiet_NaN();

// Odd counts; nothing behind the last number is touched.
TEST(ColumnSums, ExtremesAreThoseOfPlainLoops) {
  on_every_target([](bool) {
    for (const std::int64_t count : {0, 1, 3, 15, 16, 17, 63, 257}) {
      for (const float odd : {0.0F, kSumsInfinity, -kSumsInfinity, kSumsNan}) {
        std::vector<float> values = random_values(count, 1);
        if (count > 0) values[static_cast<std::size_t>(count * 2 / 3)] = odd;
        std::vector<float> high(values.size() + 1, -0.1F), low(values.size() + 1, 0.1F);
        const bool nan = add_extremes(values.data(), 0, 1, count, high.data(), low.data());
        EXPECT_EQ(nan, count > 0 && std::isnan(odd)) << count;
        for (std::size_t j = 0; j < values.size(); ++j) {
          EXPECT_EQ(high[j], values[j] > -0.1F ? values[j] : -0.1F) << count << " " << j;
          EXPECT_EQ(low[j], values[j] < 0.1F ? values[j] : 0.1F) << count << " " << j;
        }
        EXPECT_EQ(high.back(), -0.1F);
        EXPECT_EQ(low.back(), 0.1F);
      }
    }
  });
}

TEST(ColumnSums, ExtremesOfRowsTogetherAreThoseOfOneAfterTheOther) {
  on_every_target([](bool) {
    for (const std::int64_t count : {1, 16, 33, 70}) {
      for (std::int64_t rows = 1; rows <= kRowsOfExtremes; ++rows) {
        const std::int64_t stride = count + 3;
        std::vector<float> values = random_values(stride * rows, 4);
        values[static_cast<std::size_t>((rows - 1) * stride + count / 2)] = rows % 2 == 0 ? kSumsNan : -0.0F;
        std::vector<float> high(static_cast<std::size_t>(count) + 1, -kSumsInfinity), low(high.size(), kSumsInfinity);
        std::vector<float> high_wanted = high, low_wanted = low;
        bool nan_wanted = false;
        for (std::int64_t i = 0; i < rows; ++i) {
          nan_wanted |= add_extremes(values.data() + i * stride, 0, 1, count, high_wanted.data(), low_wanted.data());
        }
        EXPECT_EQ(add_extremes(values.data(), stride, rows, count, high.data(), low.data()), nan_wanted);
        EXPECT_EQ(high, high_wanted) << rows << " rows of " << count;
        EXPECT_EQ(low, low_wanted) << rows << " rows of " << count;
      }
    }
  });
}

// Parts that overlap, that leave columns out, that are shorter than a vector, and a run of columns across them.
TEST(ColumnSums, TheLargestOfPartsAreThoseOfPlainLoops) {
  const std::vector<Range> parts = {{2, 3}, {3, 20}, {19, 52}, {60, 61}, {60, 100}, {99, 117}};
  on_every_target([&](bool) {
    for (const Range& seen : {Range{0, 117}, {5, 60}, {19, 20}, {53, 59}, {61, 117}}) {
      for (const float odd : {0.5F, kSumsInfinity, -kSumsInfinity, kSumsNan}) {
        std::vector<float> values = random_values(117, 9);
        values[static_cast<std::size_t>(seen.end - 1)] = odd;
        std::vector<float> high(parts.size(), -0.1F), wanted = high;
        bool nan_wanted = false;
        for (std::size_t p = 0; p < parts.size(); ++p) {
          for (std::int64_t j = std::max(parts[p].begin, seen.begin); j < std::min(parts[p].end, seen.end); ++j) {
            const float v = values[static_cast<std::size_t>(j)];
            if (v > wanted[p]) wanted[p] = v;
            nan_wanted |= std::isnan(v);
          }
        }
        EXPECT_EQ(add_largest(values.data(), seen, parts, high.data()), nan_wanted) << seen.begin << " " << odd;
        EXPECT_EQ(high, wanted) << seen.begin << " to " << seen.end << ", " << odd;
      }
    }
  });
}

TEST(ColumnSums, ExtremesOfPixelsAreThoseOfTheirColumns) {
  on_every_target([](bool) {
    for (const std::int64_t cells : {1, 7, 16, 40}) {
      for (const std::int64_t at : {0, 3, 55}) {
        for (const std::int64_t rows : {1, 3, 4}) {
          const std::int64_t count = 117, stride = count + 2;
          std::vector<float> values = random_values(stride * rows, 6);
          if (rows != 3) values[static_cast<std::size_t>((rows - 1) * stride + 100)] = kSumsNan;
          std::vector<float> high(static_cast<std::size_t>((at + count) / cells) + 2, -0.5F), low(high.size(), 0.5F);
          std::vector<float> high_wanted = high, low_wanted = low;
          for (std::int64_t k = 0; k < rows * count; ++k) {
            const float v = values[static_cast<std::size_t>(k / count * stride + k % count)];
            const auto pixel = static_cast<std::size_t>((at + k % count) / cells);
            if (v > high_wanted[pixel]) high_wanted[pixel] = v;
            if (v < low_wanted[pixel]) low_wanted[pixel] = v;
          }
          EXPECT_EQ(add_pixel_extremes({values.data(), stride, rows}, {at, count, cells}, high.data(), low.data()),
                    rows != 3);
          EXPECT_EQ(high, high_wanted) << cells << " " << at;
          EXPECT_EQ(low, low_wanted) << cells << " " << at;
        }
      }
    }
  });
}

TEST(ColumnSums, SumsAreExactInDoubleOrNothingIsAdded) {
  on_every_target([](bool) {
    for (const std::int64_t count : {0, 1, 7, 8, 9, 31, 129}) {
      for (const float odd : {0.5F, kSumsInfinity, kSumsNan}) {
        std::vector<float> values = random_values(count, 2);
        if (count > 0) values.back() = odd;
        std::vector<double> sums(values.size() + 1, 1e9);
        const bool added = add_finite(values.data(), count, sums.data());
        EXPECT_EQ(added, count == 0 || std::isfinite(odd)) << count;
        for (std::size_t j = 0; j < values.size(); ++j) {
          EXPECT_EQ(sums[j], added ? 1e9 + static_cast<double>(values[j]) : 1e9) << count << " " << j;
        }
        EXPECT_EQ(sums.back(), 1e9);
      }
    }
  });
}

}  // namespace
}  // namespace headscope
