#include "core/tensor/row_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace headscope {
namespace {

std::vector<float> drawn_row(std::size_t count, std::uint32_t seed) {
  std::mt19937 draw(seed);
  std::vector<float> row(count);
  for (float& w : row) w = static_cast<float>(draw() >> 8) / 16777216.0F;
  return row;
}

// As the header says it, one value after the other.
double sum_by_lanes(const std::vector<float>& row) {
  std::array<double, 4> sums{};
  for (std::size_t j = 0; j < row.size(); ++j) sums[j % 4] += static_cast<double>(row[j]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double distance_by_lanes(const std::vector<float>& row, std::int64_t i) {
  std::array<double, 4> sums{};
  const std::size_t whole = row.size() / 4 * 4;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const double distance = std::fabs(static_cast<double>(i) - static_cast<double>(j));
    sums[j < whole ? j % 4 : 0] += static_cast<double>(row[j]) * distance;
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

TEST(RowSums, AreTheirFormulasToTheBit) {
  for (const std::size_t count : {0U, 1U, 3U, 4U, 5U, 7U, 8U, 31U, 64U, 513U, 1030U}) {
    const std::vector<float> row = drawn_row(count, static_cast<std::uint32_t>(count));
    EXPECT_EQ(sum_of_row(row), sum_by_lanes(row)) << count;
    for (const std::int64_t i : {0, 2, 40, 2000})
      EXPECT_EQ(distance_of_row(row, i), distance_by_lanes(row, i)) << count;
  }
  EXPECT_TRUE(std::isnan(sum_of_row(std::vector<float>{1, std::numeric_limits<float>::quiet_NaN(), 1, 1, 1})));
}

TEST(RowSums, TheFirstPlaceOfAValueIsFound) {
  for (const std::size_t count : {0U, 1U, 15U, 16U, 17U, 40U, 100U}) {
    std::vector<float> row = drawn_row(count, 9);
    EXPECT_EQ(place_in_row(row, 2.0F), count);
    for (std::size_t at = count; at-- > 0;) {
      row[at] = 2.0F;  // and behind it
      EXPECT_EQ(place_in_row(row, 2.0F), at);
    }
  }
  EXPECT_EQ(place_in_row(std::vector<float>{std::numeric_limits<float>::quiet_NaN(), -0.0F}, 0.0F), 1U);
}

}  // namespace
}  // namespace headscope
