// Latents and the projections that read them, against plain loops in double.
#include "core/model/latents.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/backend/backend_factory.h"

namespace headscope {
namespace {

const Axes kAxes{Axis::batch, Axis::position, Axis::feature};
const Axes kMatrix{Axis::position, Axis::feature};

std::vector<float> waves(std::int64_t count, double step) {
  std::vector<float> values;
  for (std::int64_t k = 0; k < count; ++k)
    values.push_back(static_cast<float>(std::sin(step * static_cast<double>(k + 1))));
  return values;
}

Linear matrix(std::int64_t rows, std::int64_t columns, double step) {
  Linear linear;
  linear.weight = Tensor::of({rows, columns}, kMatrix, waves(rows * columns, step));
  linear.weight_name = "m.weight";
  return linear;
}

TEST(Latents, KeysHaveTheirRotaryPartBesideTheNormalisedLatent) {
  const LatentRule rule{0, 3, 2, 1e-6};
  LatentWeights weights;
  weights.key = matrix(5, 4, 0.7);
  weights.key_norm.weight = Tensor::of({3}, {Axis::feature}, {2, 1, -1});
  const Tensor x = Tensor::of({1, 2, 4}, kAxes, waves(8, 1.3));
  const Latents found = latents_of(rule, weights, x, *make_backend({BackendChoice::cpu, 1}), {});
  EXPECT_EQ(found.query.values(), x.values()) << "no latent of queries";
  for (std::int64_t i = 0; i < 2; ++i) {
    std::vector<double> row(5);
    for (std::int64_t o = 0; o < 5; ++o) {
      for (std::int64_t d = 0; d < 4; ++d) {
        row[static_cast<std::size_t>(o)] +=
            static_cast<double>(weights.key.weight.at({o, d})) * static_cast<double>(x.at({0, i, d}));
      }
    }
    const double root = std::sqrt((row[0] * row[0] + row[1] * row[1] + row[2] * row[2]) / 3 + 1e-6);
    const std::vector<double> wanted = {2 * row[0] / root, row[1] / root, -row[2] / root, row[3], row[4]};
    for (std::int64_t d = 0; d < 5; ++d) {
      EXPECT_TRUE(std::abs(static_cast<double>(found.key.at({0, i, d})) - wanted[static_cast<std::size_t>(d)]) <= 2e-6);
    }
    for (std::int64_t d = 0; d < 3; ++d) EXPECT_EQ(found.value.at({0, i, d}), found.key.at({0, i, d}));
  }
}

// Two heads of three features beside two rotary ones, values of four, a latent of two.
TEST(Latents, ProjectionsPickTheRowsOfHeads) {
  Architecture architecture;
  architecture.num_heads = 2;
  architecture.head_dim = 5;
  architecture.value_head_dim = 4;
  architecture.latents = LatentRule{0, 2, 2, 1e-6};
  const Linear stored = matrix(14, 2, 0.3);
  const Linear key = latent_key_projection(architecture, stored);
  const Linear value = latent_value_projection(architecture, stored);
  ASSERT_EQ(key.weight.shape(), (Shape{10, 4}));
  ASSERT_EQ(value.weight.shape(), (Shape{8, 2}));
  for (std::int64_t h = 0; h < 2; ++h) {
    for (std::int64_t f = 0; f < 5; ++f) {
      for (std::int64_t c = 0; c < 4; ++c) {
        const float made = f < 3 && c < 2 ? stored.weight.at({7 * h + f, c}) : f >= 3 && c == f - 1 ? 1.0F : 0.0F;
        EXPECT_EQ(key.weight.at({5 * h + f, c}), made) << h << ' ' << f << ' ' << c;
      }
    }
    for (std::int64_t f = 0; f < 4; ++f) {
      for (std::int64_t c = 0; c < 2; ++c) {
        EXPECT_EQ(value.weight.at({4 * h + f, c}), stored.weight.at({7 * h + 3 + f, c}));
      }
    }
  }
  EXPECT_EQ(key.weight_name, "m.weight (keys)");
  EXPECT_EQ(latent_shapes(architecture, 2, 3).key.shape(), (Shape{2, 3, 4}));
}

}  // namespace
}  // namespace headscope
