// What torch itself draws is compared in tests/golden; here is what holds without it.
#include "core/model/seeded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace headscope {
namespace {

TEST(TorchGenerator, IsTheMersenneTwisterOfTheLowBitsOfTheSeed) {
  for (const std::uint64_t seed : {0ull, 1ull, 5489ull, (1ull << 32) + 7, ~0ull}) {
    TorchGenerator ours(seed);
    std::mt19937 standard(static_cast<std::uint32_t>(seed));
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(ours.next_u32(), standard()) << "seed " << seed << ", draw " << i;
  }
}

TEST(TorchGenerator, SeedsThatDifferInTheHighHalfOnlyDrawTheSame) {
  float a[20], b[20];
  TorchGenerator(3).randn(20, a);
  TorchGenerator(3 + (1ull << 40)).randn(20, b);
  EXPECT_TRUE(std::equal(a, a + 20, b));
}

TEST(TorchGenerator, DrawsNothingForNoValues) {
  TorchGenerator drawn(9), fresh(9);
  drawn.randn(0, nullptr);
  drawn.uniform(0, 0, 1, nullptr);
  EXPECT_EQ(drawn.next_u32(), fresh.next_u32());
}

TEST(TorchGenerator, NormalsHaveMeanZeroAndDeviationOneAndAreFinite) {
  std::vector<float> values(100003);
  TorchGenerator(11).randn(static_cast<std::int64_t>(values.size()), values.data());
  double sum = 0, squares = 0;
  for (const float value : values) {
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const double n = static_cast<double>(values.size());
  EXPECT_TRUE(std::abs(sum / n) <= 0.015) << sum / n;
  EXPECT_TRUE(std::abs(squares / n - 1) <= 0.02) << squares / n;
}

TEST(DrawLinear, StaysWithinOneOverTheRootOfItsInputs) {
  TorchGenerator generator(4);
  const Linear linear = draw_linear(generator, 100, 37);
  EXPECT_EQ(linear.weight.shape(), (Shape{37, 100}));
  EXPECT_EQ(linear.bias.shape(), (Shape{37}));
  float largest = 0;
  for (const float value : linear.weight.values()) largest = std::max(largest, std::abs(value));
  for (const float value : linear.bias.values()) largest = std::max(largest, std::abs(value));
  EXPECT_TRUE(largest <= 0.1f && largest > 0.099f) << largest;
}

TEST(DrawLinear, WithoutBiasDrawsOnlyTheWeight) {
  TorchGenerator generator(4), counting(4);
  EXPECT_TRUE(draw_linear(generator, 5, 3, false).bias.empty());
  for (int i = 0; i < 15; ++i) counting.next_u32();
  EXPECT_EQ(generator.next_u32(), counting.next_u32());
}

TEST(WordVectors, DependOnTheSeedAndTheWordAlone) {
  const Tensor first = word_vectors(1, {"it", "animal", "it"}, 24);
  const Tensor second = word_vectors(1, {"animal"}, 24);
  const Tensor other = word_vectors(2, {"animal"}, 24);
  EXPECT_EQ(first.sliced(0, 0, 1).values(), first.sliced(0, 2, 3).values());
  EXPECT_EQ(first.sliced(0, 1, 2).values(), second.values());
  EXPECT_NE(second.values(), other.values());
  EXPECT_NE(first.sliced(0, 0, 1).values(), second.values());
}

TEST(WordVectors, SeedsThatDifferInTheHighHalfGiveOtherVectors) {
  EXPECT_NE(word_vectors(1, {"it"}, 8).values(), word_vectors(1 + (1ull << 40), {"it"}, 8).values());
}

TEST(WordVectors, WorkForNoWordsAndForSmallVectors) {
  EXPECT_EQ(word_vectors(1, {}, 8).shape(), (Shape{0, 8}));
  const Tensor one = word_vectors(1, {"a", "b"}, 1);
  EXPECT_NE(one.at({0, 0}), one.at({1, 0}));
}

TEST(SinusoidalPositions, AreThePapersFormula) {
  const Tensor positions = sinusoidal_positions(7, 5);
  for (std::int64_t i = 0; i < 7; ++i) {
    for (std::int64_t f = 0; f < 5; ++f) {
      const double angle = static_cast<double>(i) / std::pow(10000.0, 2.0 * static_cast<double>(f / 2) / 5.0);
      const double expected = f % 2 == 0 ? std::sin(angle) : std::cos(angle);
      EXPECT_TRUE(std::abs(positions.at({i, f}) - expected) <= 1e-7);
    }
  }
}

TEST(DrawLayer, IsOneFusedProjectionThenTheOutput) {
  TorchGenerator generator(5), by_hand(5);
  const LayerWeights layer = draw_layer(generator, {6, 8, 4, 4}, 1.0, QkvLayout::automatic);
  EXPECT_EQ(layer.qkv.weight.values(), draw_linear(by_hand, 6, 24).weight.values());
  EXPECT_EQ(layer.output.weight.values(), draw_linear(by_hand, 8, 8).weight.values());
  EXPECT_EQ(layer.qkv_layout, QkvLayout::per_head);
  EXPECT_TRUE(layer.query.empty());
}

TEST(DrawLayer, GroupedHeadsAreFourLinearsInOrder) {
  TorchGenerator generator(5), by_hand(5);
  const LayerWeights layer = draw_layer(generator, {6, 8, 4, 2}, 1.0, QkvLayout::automatic);
  EXPECT_EQ(layer.query.weight.values(), draw_linear(by_hand, 6, 8).weight.values());
  EXPECT_EQ(layer.key.weight.values(), draw_linear(by_hand, 6, 4).weight.values());
  EXPECT_EQ(layer.value.bias.values(), draw_linear(by_hand, 6, 4).bias.values());
  EXPECT_EQ(layer.output.bias.values(), draw_linear(by_hand, 8, 8).bias.values());
  EXPECT_TRUE(layer.qkv.empty());
}

TEST(DrawLayer, GainMultipliesMatricesAndNotBiases) {
  TorchGenerator a(5), b(5), c(5);
  const LayerWeights plain = draw_layer(a, {6, 8, 4, 4}, 1.0, QkvLayout::automatic);
  const LayerWeights tripled = draw_layer(b, {6, 8, 4, 4}, 3.0, QkvLayout::automatic);
  const LayerWeights none = draw_layer(c, {6, 8, 4, 4}, 0.0, QkvLayout::automatic);
  EXPECT_EQ(plain.qkv.bias.values(), tripled.qkv.bias.values());
  for (std::int64_t i = 0; i < 24; ++i) {
    EXPECT_FLOAT_EQ(tripled.qkv.weight.at({i, 2}), 3.0f * plain.qkv.weight.at({i, 2}));
    EXPECT_EQ(none.qkv.weight.at({i, 2}), 0.0f);
  }
  EXPECT_FLOAT_EQ(tripled.output.weight.at({7, 7}), 3.0f * plain.output.weight.at({7, 7}));
}

}  // namespace
}  // namespace headscope
