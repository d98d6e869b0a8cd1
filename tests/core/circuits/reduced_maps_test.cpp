// Norms and singular values of products of maps, against plain loops and NumPy's.
#include "core/circuits/reduced_maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/core/circuits/circuits_models.h"
#include "tests/core/jacobi.h"

namespace headscope {
namespace {

// (A^T B)^T (A^T B) = B^T (A A^T) B, in plain loops.
PlainRows squared_product(const Tensor& a, std::int64_t m, const Tensor& b, std::int64_t n) {
  const auto features = static_cast<std::size_t>(a.dim(1)), d = static_cast<std::size_t>(a.dim(2));
  const auto at = [](const Tensor& of, std::int64_t k, std::size_t i, std::size_t j) {
    return static_cast<double>(of.at({k, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)}));
  };
  PlainRows product(d, std::vector<double>(d)), squared = product;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t f = 0; f < features; ++f) product[i][j] += at(a, m, f, i) * at(b, n, f, j);
    }
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t k = 0; k < d; ++k) squared[i][j] += product[k][i] * product[k][j];
    }
  }
  return squared;
}

TEST(ReducedMaps, HaveTheNormAndTheSingularValuesOfTheWholeProduct) {
  std::mt19937_64 draw(3);
  for (const std::int64_t features : {1, 3, 7}) {
    const Tensor a = random_stack(2, features, 5, draw), b = random_stack(3, features, 5, draw);
    PlainSpectrum wanted = jacobi_spectrum(squared_product(a, 1, b, 2));
    std::sort(wanted.values.rbegin(), wanted.values.rend());
    double squares = 0;
    for (const double value : wanted.values) squares += value;
    const ReducedMap reduced = reduced_map(a, 1, b, 2);
    EXPECT_EQ(reduced.rows, std::min<std::int64_t>(features, 5));
    EXPECT_EQ(reduced.values.size(), static_cast<std::size_t>(reduced.rows * 5));
    EXPECT_NEAR(reduced.norm, std::sqrt(squares), 1e-10);
    double stored = 0;
    for (const float value : reduced.values) stored += static_cast<double>(value) * value;
    EXPECT_NEAR(std::sqrt(stored), reduced.norm, 1e-5);
    const std::vector<double> values = singular_values(a, 1, b, 2);
    ASSERT_EQ(values.size(), static_cast<std::size_t>(reduced.rows));
    for (std::size_t k = 0; k < values.size(); ++k) {
      EXPECT_NEAR(values[k], std::sqrt(std::max(0.0, wanted.values[k])), 1e-6) << features << ", " << k;
    }
  }
}

TEST(ReducedMaps, SingularValuesAreNumPys) {
  std::ifstream file(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/circuits.json");
  for (const auto& golden : nlohmann::json::parse(file)) {
    const auto checkpoint = circuits_model(golden.at("model"));
    SCOPED_TRACE(golden.at("model").get<std::string>());
    const NormFolding norms = golden.at("norms") == "fold" ? NormFolding::fold : NormFolding::ignore;
    for (const auto& head : golden.at("heads")) {
      const HeadMaps maps = head_maps(*checkpoint, head.at("layer"), norms);
      const std::int64_t h = head.at("head"), g = maps.group_of(h);
      const auto expect = [&](const char* name, const std::vector<double>& values) {
        const auto wanted = head.at(name).get<std::vector<double>>();
        ASSERT_EQ(values.size(), wanted.size());
        for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(values[k], wanted[k], 1e-5 * wanted[0]) << name;
      };
      expect("qk", singular_values(maps.query, h, maps.key, g));
      expect("ov", singular_values(maps.output, h, maps.value, g));
    }
  }
}

TEST(ReducedMaps, WhatIsNotFiniteHasNoSingularValues) {
  std::mt19937_64 draw(3);
  const Tensor a = random_stack(1, 3, 5, draw);
  Tensor b = a.dense_copy();
  b.mutable_data()[4] = NAN;
  for (const double value : singular_values(a, 0, b, 0)) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace headscope
