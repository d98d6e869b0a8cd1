// Axes against a closed form, and against Jacobi's rotations of the plain covariance.
#include "core/corpus/principal_axes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/core/jacobi.h"

namespace headscope {
namespace {

using Rows = std::vector<std::vector<float>>;

HeadVectors vectors_of(const Rows& rows) {
  HeadVectors vectors(static_cast<std::int64_t>(rows[0].size()));
  for (const auto& row : rows) {
    std::size_t place = 0;
    for (std::size_t a = 0; a < row.size(); ++a) {
      vectors.sums[a].add_large(row[a]);
      for (std::size_t b = a; b < row.size(); ++b) vectors.products[place++].add_large(double{row[a]} * double{row[b]});
    }
    vectors.points.insert(vectors.points.end(), row.begin(), row.end());
  }
  return vectors;
}

// Vectors whose numbers have variances of very different sizes, are correlated, and lie far from 0.
Rows drawn_rows(std::size_t count, std::size_t size) {
  std::mt19937_64 draw(11);
  const auto number = [&draw] { return static_cast<float>(static_cast<double>(draw() >> 11) * 0x1p-53 - 0.5); };
  Rows rows(count, std::vector<float>(size));
  for (auto& row : rows) {
    const float common = number();
    for (std::size_t a = 0; a < size; ++a) {
      row[a] = number() * static_cast<float>(a + 1) + common * static_cast<float>(a % 3) - 4;
    }
  }
  return rows;
}

// Of the rows, around their mean.
PlainRows plain_covariance(const Rows& rows) {
  const std::size_t size = rows[0].size();
  const auto count = static_cast<double>(rows.size());
  std::vector<double> mean(size);
  for (const auto& row : rows) {
    for (std::size_t a = 0; a < size; ++a) mean[a] += double{row[a]} / count;
  }
  PlainRows covariance(size, std::vector<double>(size));
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) {
      for (const auto& row : rows) covariance[a][b] += (double{row[a]} - mean[a]) * (double{row[b]} - mean[b]) / count;
    }
  }
  return covariance;
}

TEST(PrincipalAxes, OfAPlaneAreTheClosedForm) {
  // Ends of two crossing lines: 3 along (0.6, 0.8) and 1 along (-0.8, 0.6), around (10, -2).
  const Rows rows = {{11.8F, 0.4F}, {8.2F, -4.4F}, {9.2F, -1.4F}, {10.8F, -2.6F}};
  const PrincipalAxes axes = principal_axes(vectors_of(rows), 4);
  ASSERT_EQ(axes.size(), 2u);
  const std::vector<double> wanted = {0.6, 0.8, 0.8, -0.6};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_TRUE(std::fabs(axes.axes[k] - wanted[k]) <= 1e-6) << k << axes.axes[k];
  EXPECT_TRUE(std::fabs(axes.variances[0] - 4.5) <= 1e-5) << axes.variances[0];
  EXPECT_TRUE(std::fabs(axes.variances[1] - 0.5) <= 1e-5) << axes.variances[1];
  EXPECT_TRUE(std::fabs(axes.share(0) - 0.9) <= 1e-6);
  EXPECT_EQ(axes.share(2), 0);
  const std::vector<double> places = projected_points(axes, vectors_of(rows).points, 2);
  const std::vector<double> at = {3, 0, -3, 0, 0, -1, 0, 1};
  for (std::size_t k = 0; k < at.size(); ++k)
    EXPECT_TRUE(std::fabs(places[k] - at[k]) <= 2e-6) << k << ": " << places[k];
}

TEST(PrincipalAxes, OfManyNumbersAreThoseOfJacobisRotations) {
  const Rows rows = drawn_rows(300, 12);
  const HeadVectors vectors = vectors_of(rows);
  const PrincipalAxes axes = principal_axes(vectors, 300);
  const PlainSpectrum jacobi = jacobi_spectrum(plain_covariance(rows));
  std::vector<std::size_t> order(12);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return jacobi.values[a] > jacobi.values[b]; });
  const double total = std::accumulate(jacobi.values.begin(), jacobi.values.end(), 0.0);
  const std::vector<double> shares = variance_shares(vectors, 300, 8);
  ASSERT_EQ(shares.size(), 8u);
  const std::vector<double> places = projected_points(axes, vectors.points, 3);
  for (std::size_t k = 0; k < 12; ++k) {
    const double value = jacobi.values[order[k]];
    EXPECT_TRUE(std::fabs(axes.variances[k] - value) <= 1e-9) << k;
    const double share = k < 8 ? shares[k] : axes.share(k);
    EXPECT_TRUE(std::fabs(share - value / total) <= 1e-10) << k;
    double dot = 0, largest = 0;
    for (std::size_t a = 0; a < 12; ++a) {
      const double number = axes.axes[k * 12 + a];
      dot += number * jacobi.vectors[order[k]][a];
      if (std::fabs(number) > std::fabs(largest)) largest = number;
    }
    EXPECT_TRUE(std::fabs(std::fabs(dot) - 1) <= 1e-9) << k << ": " << dot;
    EXPECT_GT(largest, 0) << k;
    if (k >= 3) continue;
    // The variance of all points along an axis is its own: they are all the rows.
    double squares = 0;
    for (std::size_t n = 0; n < 300; ++n) squares += places[n * 3 + k] * places[n * 3 + k] / 300;
    EXPECT_TRUE(std::fabs(squares - value) <= 1e-8) << k << ": " << squares;
  }
}

TEST(PrincipalAxes, OfNothingAndOfEqualVectorsAreSaid) {
  EXPECT_EQ(principal_axes(HeadVectors(), 5).size(), 0u);
  EXPECT_EQ(principal_axes(HeadVectors(3), 0).size(), 0u);
  EXPECT_TRUE(variance_shares(HeadVectors(), 5, 8).empty());
  const HeadVectors equal = vectors_of({{1, 2}, {1, 2}, {1, 2}});
  const PrincipalAxes axes = principal_axes(equal, 3);
  EXPECT_EQ(axes.total, 0);
  EXPECT_EQ(axes.share(0), 0);
  for (const double place : projected_points(axes, equal.points, 8)) EXPECT_EQ(place, 0);
}

}  // namespace
}  // namespace headscope
