#include "core/backend/packed_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

std::shared_ptr<const PackedMatrix> packed(const Tensor& weight) {
  const MatrixSource source = matrix_source_of(weight);
  const auto result = std::make_shared<PackedMatrix>(weight.dim(0), weight.dim(1), source.type);
  result->pack(0, result->panels(), source);
  return result;
}

constexpr std::int64_t kPlenty = 1 << 20;

// A second use, after which the panels are kept where there is room. Whether they are.
bool use_again(PackedWeights& weights, const Tensor& weight) {
  if (weights.find(weight) != nullptr) return true;
  if (!weights.wants(weight)) return false;
  weights.keep(weight, packed(weight));
  return true;
}

TEST(PackedMatrix, PanelsInAnyOrderAndRoomForAnother) {
  const Tensor weight = random_tensor({100, 37}, 1);
  const auto whole = packed(weight);
  PackedMatrix part;
  for (std::int64_t first : {2, 0, 3, 1}) {
    const std::int64_t out = std::min<std::int64_t>(32, 100 - 32 * first);
    part.reshape(out, 20, PanelType::float32);
    part.pack(0, 1, source_from(matrix_source_of(weight), 32 * first, 17));
    for (std::int64_t i = 0; i < 20 * 32; ++i) {
      EXPECT_EQ(part.panel<float>(0)[i], whole->panel<float>(first)[17 * 32 + i]) << first << " " << i;
    }
  }
}

TEST(PackedMatrix, TwoByteNumbersAreTurnedAsTheyAre) {
  const auto numbers = std::make_shared<std::vector<std::uint16_t>>();
  for (std::uint32_t i = 0; i < 67 * 75; ++i) numbers->push_back(static_cast<std::uint16_t>(i * 40503U));
  const Tensor weight =
      Tensor::two_byte_view_of(numbers, numbers->data(), NumberType::bfloat16, {67, 75}, {75, 1}, axes_of_rank(2));
  const auto matrix = packed(weight);
  for (std::int64_t o = 0; o < 96; ++o) {
    for (std::int64_t i = 0; i < 75; ++i) {
      const std::uint16_t expected = o < 67 ? (*numbers)[static_cast<std::size_t>(o * 75 + i)] : std::uint16_t{0};
      EXPECT_EQ(matrix->panel<std::uint16_t>(o / 32)[i * 32 + o % 32], expected) << o << " " << i;
    }
  }
}

TEST(PackedWeights, AreFoundByWhereTheNumbersLie) {
  PackedWeights weights(kPlenty);
  const Tensor weight = random_tensor({40, 8}, 1);
  EXPECT_EQ(weights.find(weight), nullptr);
  EXPECT_EQ(weights.find(weight), nullptr);
  const auto form = packed(weight);
  weights.keep(weight, form);
  EXPECT_EQ(weights.find(weight), form);
  EXPECT_EQ(weights.find(weight.sliced(0, 0, 40)), form);
  EXPECT_EQ(weights.find(weight.sliced(0, 0, 39)), nullptr);
  EXPECT_EQ(weights.find(weight.reshaped({8, 40}, axes_of_rank(2))), nullptr);
  EXPECT_EQ(weights.find(random_tensor({40, 8}, 1)), nullptr);
}

TEST(PackedWeights, TheFirstUsePacksNothing) {
  PackedWeights weights(kPlenty);
  const Tensor weight = random_tensor({40, 8}, 1);
  EXPECT_FALSE(weights.wants(weight));
  EXPECT_FALSE(use_again(weights, weight));
  weights.keep(weight, packed(weight));
  EXPECT_EQ(weights.bytes(), 0);
  EXPECT_TRUE(use_again(weights, weight));
  EXPECT_EQ(weights.bytes(), 64 * 8 * 4);
}

TEST(PackedWeights, GoWithTheWeight) {
  PackedWeights weights(kPlenty);
  Tensor weight = random_tensor({40, 8}, 1);
  use_again(weights, weight);
  use_again(weights, weight);
  const std::weak_ptr<const PackedMatrix> form = weights.find(weight);
  EXPECT_FALSE(form.expired());
  weight = random_tensor({40, 8}, 2);
  EXPECT_EQ(weights.find(weight), nullptr);
  EXPECT_TRUE(form.expired());
  EXPECT_EQ(weights.bytes(), 0);
}

TEST(PackedWeights, WeightsUsedInTurnKeepWhatTheyHave) {
  std::vector<Tensor> tensors;
  for (std::uint32_t seed = 0; seed < 5; ++seed) tensors.push_back(random_tensor({32, 10}, seed));
  PackedWeights weights(3 * 32 * 10 * 4);
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      EXPECT_EQ(use_again(weights, tensors[i]), round > 0 && i < 3) << round << " " << i;
    }
  }
  EXPECT_EQ(weights.bytes(), 3 * 32 * 10 * 4);
  EXPECT_FALSE(use_again(weights, random_tensor({32, 31}, 9)));
}

TEST(PackedWeights, ThoseThatNobodyUsesAnyMoreMakeRoom) {
  std::vector<Tensor> tensors;
  for (std::uint32_t seed = 0; seed < 4; ++seed) tensors.push_back(random_tensor({32, 10}, seed));
  PackedWeights weights(2 * 32 * 10 * 4);
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i : {0, 1}) use_again(weights, tensors[i]);
  }
  EXPECT_EQ(weights.bytes(), 2 * 32 * 10 * 4);
  EXPECT_FALSE(use_again(weights, tensors[2]));
  EXPECT_TRUE(use_again(weights, tensors[1]));
  EXPECT_TRUE(use_again(weights, tensors[2]));  // 0 goes: not used since
  EXPECT_NE(weights.find(tensors[1]), nullptr);
  EXPECT_NE(weights.find(tensors[2]), nullptr);
  EXPECT_EQ(weights.find(tensors[0]), nullptr);
}

TEST(PackedWeights, ManyThatAreGoneAreForgotten) {
  PackedWeights weights(kPlenty);
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const Tensor weight = random_tensor({32, 4}, seed);
    use_again(weights, weight);
    EXPECT_TRUE(use_again(weights, weight)) << seed;
  }
  EXPECT_EQ(weights.bytes(), 0);
}

TEST(PackedWeights, SeveralThreadsMayAskAtOnce) {
  const auto backend = make_cpu_backend(2);
  const Tensor x = random_tensor({1, 3, 64}, 1);
  const Tensor weight = random_tensor({64, 64}, 2);
  const Tensor expected = make_cpu_backend(1)->linear(x, weight, {}, {});
  std::vector<Tensor> results(4);
  std::vector<std::thread> callers;
  for (Tensor& result : results) {
    callers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) result = backend->linear(x, weight, {}, {});
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const Tensor& result : results) EXPECT_TRUE(same_bits(result, expected));
}

}  // namespace
}  // namespace headscope
