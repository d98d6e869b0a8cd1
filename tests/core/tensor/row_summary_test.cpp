#include "core/tensor/row_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace headscope {
namespace {

double entropy_of(const std::vector<float>& row) {
  double bits = 0;
  for (const double w : row) bits -= w > 0 ? w * std::log2(w) : 0;
  return bits;
}

TEST(RowSummary, IsWhatTheFormulasSay) {
  std::mt19937 generator(1);
  for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 63U, 1000U, 1024U, 1025U, 5000U}) {
    for (const double sharpness : {0.0, 1.0, 30.0}) {
      std::vector<float> row(count);
      double sum = 0;
      for (float& w : row) {
        const double place = static_cast<double>(generator() >> 8) / 16777216.0;
        w = static_cast<float>(std::exp(-sharpness * place));
        sum += w;
      }
      for (float& w : row) w = static_cast<float>(w / sum);
      const RowSummary found = summary_of_row(row);
      const double wanted = entropy_of(row);
      EXPECT_TRUE(std::abs(found.entropy_bits - wanted) <= 1e-6 * (wanted + 1)) << count << " " << found.entropy_bits;
      EXPECT_EQ(found.largest, *std::max_element(row.begin(), row.end()));
      EXPECT_FALSE(found.has_nan);
    }
  }
}

TEST(RowSummary, PowersOfTwoAreExactAndZerosCountNothing) {
  EXPECT_EQ(summary_of_row(std::vector<float>{0.5F, 0.25F, 0.0F, 0.25F}).entropy_bits, 1.5);
  EXPECT_EQ(summary_of_row(std::vector<float>{0.0F, 1.0F}).entropy_bits, 0.0);
  EXPECT_EQ(summary_of_row(std::vector<float>{}).entropy_bits, 0.0);
  EXPECT_EQ(summary_of_row(std::vector<float>(64, 1.0F / 64)).entropy_bits, 6.0);
}

TEST(RowSummary, TinyWeightsAndNan) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  const RowSummary small = summary_of_row(std::vector<float>{1.0F, tiny, 1e-38F});
  EXPECT_TRUE(std::abs(small.entropy_bits) <= 1e-35);
  EXPECT_EQ(small.largest, 1.0F);
  std::vector<float> row(40, 0.025F);
  for (const std::size_t at : {0U, 17U, 39U}) {
    std::vector<float> broken = row;
    broken[at] = NAN;
    EXPECT_TRUE(summary_of_row(broken).has_nan) << at;
    EXPECT_EQ(summary_of_row(broken).largest, 0.025F);
  }
}

TEST(RowSummary, ZerosAtTheEndAreLeftOutAndChangeNoBit) {
  std::mt19937 draw(3);
  for (const std::size_t size : {0, 1, 15, 16, 17, 40, 1024, 1030, 2100}) {
    for (const std::size_t last : {std::size_t{0}, size / 3, size / 2, size}) {
      std::vector<float> row(size);
      for (std::size_t j = 0; j < last; ++j) row[j] = static_cast<float>(1 + draw() % 1000) / 1000;
      const std::span<const float> seen = without_zeros_at_end(row);
      EXPECT_GE(seen.size(), last);
      EXPECT_TRUE(seen.size() <= last + 15) << seen.size() << " of " << size << ", last " << last;
      const RowSummary whole = summary_of_row(row), part = summary_of_row(seen);
      EXPECT_EQ(whole.entropy_bits, part.entropy_bits);
      EXPECT_EQ(whole.largest, part.largest);
    }
  }
  const std::vector<float> nan(33, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(without_zeros_at_end(nan).size(), 33U);
  EXPECT_EQ(without_zeros_at_end(std::vector<float>(64, -0.0F)).size(), 0U);
}

}  // namespace
}  // namespace headscope
