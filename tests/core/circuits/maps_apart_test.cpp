// How far maps of heads are apart: against whole products in plain loops, and against NumPy's.
#include "core/circuits/maps_apart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "tests/core/circuits/circuits_models.h"
#include "tests/core/circuits/made_maps.h"

namespace headscope {
namespace {

// A^T B of matrices of two stacks, [d_model, d_model], in double.
std::vector<double> product(const Tensor& a, std::int64_t m, const Tensor& b, std::int64_t n) {
  const std::int64_t d = a.dim(2);
  std::vector<double> whole;
  for (std::int64_t i = 0; i < d; ++i) {
    for (std::int64_t j = 0; j < d; ++j) {
      double sum = 0;
      for (std::int64_t f = 0; f < a.dim(1); ++f) {
        sum += static_cast<double>(a.at({m, f, i})) * static_cast<double>(b.at({n, f, j}));
      }
      whole.push_back(sum);
    }
  }
  return whole;
}

double share(const std::vector<double>& a, const std::vector<double>& b) {
  double apart = 0, squares = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    apart += (a[k] - b[k]) * (a[k] - b[k]);
    squares += a[k] * a[k];
  }
  return std::sqrt(apart / squares);
}

MapsApart plain(const HeadMaps& a, std::int64_t i, const HeadMaps& b, std::int64_t j) {
  return {share(product(a.query, i, a.key, a.group_of(i)), product(b.query, j, b.key, b.group_of(j))),
          share(product(a.output, i, a.value, a.group_of(i)), product(b.output, j, b.value, b.group_of(j)))};
}

void expect_near(const MapsApart& found, const MapsApart& wanted, double tolerance) {
  EXPECT_NEAR(found.qk, wanted.qk, tolerance * (1 + wanted.qk));
  EXPECT_NEAR(found.ov, wanted.ov, tolerance * (1 + wanted.ov));
}

TEST(MapsApart, AreWhatWholeProductsGive) {
  std::mt19937_64 draw(5);
  for (const MapSizes& sizes :
       {MapSizes{}, MapSizes{4, 4, 3, 3, 12}, MapSizes{4, 1, 2, 7, 5}, MapSizes{1, 1, 1, 1, 3}}) {
    const HeadMaps a = random_maps(sizes, draw), b = random_maps(sizes, draw);
    for (std::int64_t i = 0; i < sizes.heads; ++i) {
      const std::int64_t j = (i + 1) % sizes.heads;
      expect_near(maps_apart(a, i, b, i), plain(a, i, b, i), 1e-12);
      expect_near(maps_apart(a, i, b, j), plain(a, i, b, j), 1e-12);
    }
  }
}

TEST(MapsApart, OfEqualWeightsAreExactlyZeroAndOfNearOnesKeepTheirDigits) {
  std::mt19937_64 draw(6);
  const HeadMaps a = random_maps({4, 2, 8, 8, 16}, draw);
  for (std::int64_t h = 0; h < 4; ++h) {
    EXPECT_EQ(maps_apart(a, h, a, h).qk, 0);
    EXPECT_EQ(maps_apart(a, h, a, h).ov, 0);
  }
  // One part in 2^22 more of the query: |1.0000002 QK - QK| / |QK|.
  HeadMaps b = a;
  b.query = scaled(a.query, 1, 1 + 0x1p-22F);
  const MapsApart near = maps_apart(a, 1, b, 1);
  EXPECT_NEAR(near.qk / 0x1p-22, 1, 0.2) << "rounding of float32 is a part of it";
  EXPECT_EQ(near.ov, 0);
  EXPECT_EQ(maps_apart(a, 0, b, 0).qk, 0);
}

TEST(MapsApart, AreScaledWithOneHeadsRowsAndSeeNoOrderOfFeatures) {
  std::mt19937_64 draw(7);
  const HeadMaps a = random_maps({4, 2, 6, 5, 14}, draw);
  HeadMaps b = a;
  b.query = scaled(a.query, 2, 1.5F);
  b.output = scaled(a.output, 3, -1.0F);
  EXPECT_NEAR(maps_apart(a, 2, b, 2).qk, 0.5, 1e-7);
  EXPECT_EQ(maps_apart(a, 2, b, 2).ov, 0);
  EXPECT_NEAR(maps_apart(a, 3, b, 3).ov, 2, 1e-7);
  EXPECT_EQ(maps_apart(a, 3, b, 3).qk, 0);
  HeadMaps turned = a;
  turned.query = reversed_rows(a.query);
  turned.key = reversed_rows(a.key);
  for (std::int64_t h = 0; h < 4; ++h) EXPECT_LE(maps_apart(a, h, turned, h).qk, 1e-7) << h;
  turned.key = a.key;
  EXPECT_GT(maps_apart(a, 0, turned, 0).qk, 0.5) << "rows of queries alone";
}

TEST(MapsApart, OfZerosAndOfWhatIsNoNumberAreSaid) {
  std::mt19937_64 draw(8);
  const HeadMaps a = random_maps({}, draw);
  HeadMaps b = a;
  b.query = scaled(a.query, 0, 0);
  EXPECT_NEAR(maps_apart(a, 0, b, 0).qk, 1, 1e-12);
  EXPECT_EQ(maps_apart(b, 0, a, 0).qk, std::numeric_limits<double>::infinity());
  EXPECT_EQ(maps_apart(b, 0, b, 0).qk, 0);
  HeadMaps none = a;
  none.query = scaled(a.query, 0, std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(std::isnan(maps_apart(a, 0, none, 0).qk));
  EXPECT_TRUE(std::isnan(maps_apart(a, 0, none, 0).largest()));
  EXPECT_EQ(maps_apart(a, 1, none, 1).qk, 0);
}

TEST(MapsApart, AreWhatNumPyGivesForEveryLayoutOfWeights) {
  std::ifstream file(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/circuits.json");
  int models = 0;
  for (const auto& golden : nlohmann::json::parse(file)) {
    const std::string name = golden.at("model");
    SCOPED_TRACE(name + ", " + golden.at("norms").get<std::string>());
    const auto checkpoint = circuits_model(name);
    const NormFolding norms = golden.at("norms") == "fold" ? NormFolding::fold : NormFolding::ignore;
    const HeadMaps a = head_maps(*checkpoint, 0, norms), b = head_maps(*checkpoint, 1, norms);
    const auto& wanted = golden.at("apart");
    ASSERT_EQ(static_cast<std::int64_t>(wanted.at("qk").size()), a.heads());
    for (std::int64_t h = 0; h < a.heads(); ++h) {
      const auto head = static_cast<std::size_t>(h);
      expect_near(maps_apart(a, h, b, h), {wanted.at("qk")[head], wanted.at("ov")[head]}, 2e-6);
    }
    ++models;
  }
  EXPECT_EQ(models, 10);
}

}  // namespace
}  // namespace headscope
