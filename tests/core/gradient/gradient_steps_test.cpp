// Norms, activations and linear maps backwards, against numbers of PyTorch 2 in float64 (torch.autograd.grad).
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/gradient/mlp_gradient.h"
#include "core/gradient/norm_gradient.h"
#include "core/gradient/rows.h"

namespace headscope {
namespace {

Tensor vector_of(std::vector<float> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return Tensor::of({count}, {Axis::feature}, std::move(values));
}

GradientRows row_of(const std::vector<double>& values) {
  GradientRows rows(1, std::ssize(values));
  rows.values = values;
  return rows;
}

void expect_near(const GradientRows& found, const std::vector<double>& wanted, const char* what) {
  ASSERT_EQ(found.values.size(), wanted.size()) << what;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    EXPECT_TRUE(std::abs(found.values[k] - wanted[k]) <= 1e-7 * (1 + std::abs(wanted[k])))
        << what << " " << k << ": " << found.values[k] << " for " << wanted[k];
  }
}

const std::vector<double> kX = {0.5, -1.25, 2.0, 0.75, -0.375}, kDy = {1.0, -0.5, 0.25, 2.0, -1.5};
const std::vector<float> kWeight = {0.5, 1.5, -2.0, 0.25, 1.0}, kBias = {0.125, -0.5, 0.25, 0.0, 1.0};

TEST(NormGradient, IsTorchsForBothKindsOfNorm) {
  RowNorm norm;
  norm.weights = {vector_of(kWeight), vector_of(kBias)};
  norm.eps = 1e-5;
  expect_near(normed(norm, row_of(kX)),
              {0.2049592070591618, -2.658898590597368, -2.811295355979337, 0.0970933228575536, 0.3603263435267057},
              "layer norm");
  expect_near(before_norm(norm, row_of(kX), row_of(kDy)),
              {0.731509079388573, 0.04160972754767761, -0.570060459617755, 0.6668840744287788, -0.8699424217472742},
              "its gradient");
  norm.kind = Architecture::Norm::rms;
  norm.weights.bias = {};
  norm.eps = 1e-6;
  norm.plus_one = true;
  expect_near(normed(norm, row_of(kX)),
              {0.6570040677297609, -2.7375169488740037, -1.7520108472793625, 0.8212550846622012, -0.6570040677297609},
              "RMS norm");
  expect_near(before_norm(norm, row_of(kX), row_of(kDy)),
              {0.9904955893767973, -0.2862254143427898, -1.5130515402408191, 1.7047447399751159, -2.385381861357},
              "its gradient");
  EXPECT_EQ(before_norm({}, row_of(kX), row_of(kDy)).values, kDy) << "without weights it copies";
  norm.scales = true;
  norm.plus_one = false;
  expect_near(before_norm(norm, row_of(kX), row_of(kDy)), {0.5, -0.75, -0.5, 0.5, -1.5}, "LayerScale");
}

struct TorchActivation {
  Architecture::Activation activation;
  std::vector<double> values, slopes;
};

TEST(Activated, IsTorchsWithItsSlope) {
  using A = Architecture::Activation;
  const std::vector<double> x = {-3.0, -0.625, 0.25, 1.5};
  const TorchActivation known[] = {
      {A::gelu,
       {-0.00404969409489031, -0.16624095565543784, 0.14967658142073093, 1.399789198096713},
       {-0.01194564720418392, 0.060884923704716126, 0.695373354883636, 1.1274691922299795}},
      {A::gelu_tanh,
       {-0.0036373920817729943, -0.16627885004239948, 0.149675350701685, 1.3995715769802328},
       {-0.011584166630969648, 0.061091962613294776, 0.6953540951510604, 1.127710793151433}},
      {A::silu,
       {-0.14227761953270035, -0.21790320958371612, 0.14054412522144952, 1.2263617142904655},
       {-0.08810410601516962, 0.2067128197452455, 0.6237100215701977, 1.041294154299143}},
      {A::relu, {0.0, 0.0, 0.25, 1.5}, {0.0, 0.0, 1.0, 1.0}},
      {A::quick_gelu,
       {-0.01807130970778597, -0.16037092329240343, 0.1511996499001942, 1.3916621984470765},
       {-0.024548323905652352, 0.05367969195232497, 0.7065004409742669, 1.098848064624103}},
  };
  for (const TorchActivation& each : known) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      const Activated found = activated(each.activation, x[k]);
      EXPECT_TRUE(std::abs(found.value - each.values[k]) <= 1e-12) << activation_name(each.activation) << x[k];
      EXPECT_TRUE(std::abs(found.slope - each.slopes[k]) <= 1e-12) << activation_name(each.activation) << x[k];
    }
  }
}

TEST(Linear, IsTorchsAlsoOfATransposedView) {
  Linear layer;
  layer.weight = Tensor::of({2, 3}, {Axis::feature, Axis::feature}, {0.5, -1.0, 2.0, 1.5, 0.25, -0.75});
  layer.bias = vector_of({0.5, -0.25});
  GradientRows x(2, 3), dy(2, 2);
  x.values = {1.0, 2.0, -1.0, 0.5, -0.5, 3.0};
  dy.values = {1.0, -2.0, 0.5, 0.75};
  Linear other = layer;
  other.weight =
      Tensor::of({3, 2}, {Axis::feature, Axis::feature}, {0.5, 1.5, -1.0, 0.25, 2.0, -0.75}).permuted({1, 0});
  ThreadPool threads(2);
  for (const Linear& each : {layer, other}) {
    expect_near(linear_of(x, each, threads), {-3.0, 2.5, 7.25, -1.875}, "forwards");
    expect_near(before_linear(dy, each, threads), {-2.5, -1.5, 3.5, 1.375, -0.3125, 0.4375}, "backwards");
  }
}

// Of sizes that no part divides.
TEST(Linear, HasTheSameBitsForAnyNumberOfThreads) {
  constexpr std::int64_t kOuts = 333, kIns = 217, kRows = 5;
  std::mt19937 draw(1);
  std::normal_distribution<double> normal;
  std::vector<float> weights(kOuts * kIns);
  for (float& weight : weights) weight = static_cast<float>(normal(draw));
  Linear layer;
  layer.weight = Tensor::of({kOuts, kIns}, {Axis::feature, Axis::feature}, weights);
  GradientRows x(kRows, kIns), dy(kRows, kOuts);
  for (double& value : x.values) value = normal(draw);
  for (double& value : dy.values) value = normal(draw);
  ThreadPool one(1);
  const GradientRows y = linear_of(x, layer, one), dx = before_linear(dy, layer, one);
  for (const int count : {2, 3, 8}) {
    ThreadPool threads(count);
    EXPECT_EQ(linear_of(x, layer, threads).values, y.values) << count;
    EXPECT_EQ(before_linear(dy, layer, threads).values, dx.values) << count;
  }
  double first = 0;
  for (std::int64_t d = 0; d < kIns; ++d)
    first += x.values[static_cast<std::size_t>(d)] * static_cast<double>(weights[static_cast<std::size_t>(d)]);
  EXPECT_NEAR(y.values[0], first, 1e-9);
  double back = 0;
  for (std::int64_t o = 0; o < kOuts; ++o) {
    back += dy.values[static_cast<std::size_t>(o)] *
            static_cast<double>(weights[static_cast<std::size_t>(o * kIns + kIns - 1)]);
  }
  EXPECT_NEAR(dx.values[kIns - 1], back, 1e-9);
}
}  // namespace
}  // namespace headscope
