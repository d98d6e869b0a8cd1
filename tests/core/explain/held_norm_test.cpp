// A held norm against the norm itself: equal at its own row, linear elsewhere.
#include "core/explain/held_norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

RowNorm made_norm(Architecture::Norm kind, bool bias, bool plus_one) {
  constexpr std::int64_t kFeatures = 7;
  return {kind, {random_tensor({kFeatures}, 1), bias ? random_tensor({kFeatures}, 2) : Tensor()}, 1e-3, plus_one, ""};
}

TEST(HeldNorm, IsTheNormOfItsOwnRow) {
  for (const auto kind : {Architecture::Norm::layer, Architecture::Norm::rms}) {
    for (const bool bias : {false, true}) {
      const RowNorm norm = made_norm(kind, bias, !bias);
      const std::vector<float> x = random_values(7, 3);
      Tensor row = Tensor::of({1, 1, 7}, {Axis::batch, Axis::position, Axis::feature}, x);
      Tensor y = Tensor::zeros(row.shape(), row.axes());
      norm_rows(norm, row, 0, y);
      const HeldNorm held(norm, x);
      EXPECT_EQ(held.has_bias(), bias);
      for (std::size_t own = 0; own < 7; ++own) {
        std::vector<double> unit(7);
        unit[own] = 1;
        const std::vector<double> before = held.before(unit);
        double value = held.of_bias(unit);
        for (std::size_t d = 0; d < 7; ++d) value += before[d] * static_cast<double>(x[d]);
        EXPECT_TRUE(std::abs(value - static_cast<double>(y.data()[own])) <= 1e-6) << own;
      }
    }
  }
}

TEST(HeldNorm, AfterIsTheSameMapOfTheRow) {
  for (const auto kind : {Architecture::Norm::layer, Architecture::Norm::rms}) {
    const HeldNorm held(made_norm(kind, true, kind == Architecture::Norm::rms), random_values(7, 3));
    const std::vector<float> random = random_values(7, 4), unlike = random_values(7, 5);
    const std::vector<double> x(random.begin(), random.end()), direction(unlike.begin(), unlike.end());
    const std::vector<double> before = held.before(direction), after = held.after(x);
    double there = 0, back = 0;
    for (std::size_t d = 0; d < 7; ++d) {
      there += direction[d] * after[d];
      back += before[d] * x[d];
    }
    EXPECT_TRUE(std::abs(there - back) <= 1e-12);
  }
  const std::vector<double> x = {1, -2, 3};
  EXPECT_EQ(HeldNorm({}, random_values(3, 3)).after(x), x);
}

// With the scale held a constant row adds nothing to a LayerNorm, and twice a row adds twice as much.
TEST(HeldNorm, HoldsTheScaleAndTakesTheMeanAway) {
  const HeldNorm layer(made_norm(Architecture::Norm::layer, true, false), random_values(7, 3));
  const std::vector<float> random = random_values(7, 4);
  const std::vector<double> direction(random.begin(), random.end());
  double constant = 0;
  for (const double each : layer.before(direction)) constant += each;
  EXPECT_TRUE(std::abs(constant) <= 1e-12);
  const HeldNorm rms(made_norm(Architecture::Norm::rms, false, false), random_values(7, 3));
  double other = 0;
  for (const double each : rms.before(direction)) other += each;
  EXPECT_TRUE(std::abs(other) > 1e-3);
}

TEST(HeldNorm, WithoutWeightsChangesNothing) {
  const HeldNorm none({}, random_values(5, 3));
  const std::vector<double> direction = {1, -2, 3, -4, 5};
  EXPECT_FALSE(none.has_bias());
  EXPECT_EQ(none.of_bias(direction), 0.0);
  EXPECT_EQ(none.before(direction), direction);
}

}  // namespace
}  // namespace headscope
