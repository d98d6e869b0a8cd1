#include "core/backend/packed_weights.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

std::shared_ptr<const PackedMatrix> packed(const Tensor& weight) {
  const MatrixSource source = matrix_source_of(weight);
  const auto result = std::make_shared<PackedMatrix>(weight.dim(0), weight.dim(1), source.type);
  for (std::int64_t panel = 0; panel < result->panels(); ++panel) result->pack_panel(panel, source);
  return result;
}

constexpr std::int64_t kPlenty = 1 << 20;

TEST(PackedMatrix, HoldsPanelsOfThirtyTwoOutputsAndZerosBehindTheLast) {
  const Tensor weight = random_tensor({70, 5}, 1);
  for (const Tensor& lying : {weight, weight.permuted({1, 0}).dense_copy().permuted({1, 0})}) {
    const auto matrix = packed(lying);
    ASSERT_EQ(matrix->panels(), 3);
    for (std::int64_t o = 0; o < 96; ++o) {
      for (std::int64_t i = 0; i < 5; ++i) {
        EXPECT_EQ(matrix->panel<float>(o / 32)[i * 32 + o % 32], o < 70 ? weight.at({o, i}) : 0.0F) << o << " " << i;
      }
    }
  }
}

TEST(PackedWeights, AreFoundByWhereTheNumbersLie) {
  PackedWeights weights(kPlenty);
  const Tensor weight = random_tensor({40, 8}, 1);
  EXPECT_EQ(weights.find(weight), nullptr);
  const auto form = packed(weight);
  weights.keep(weight, form);
  EXPECT_EQ(weights.find(weight), form);
  EXPECT_EQ(weights.find(weight.sliced(0, 0, 40)), form);
  EXPECT_EQ(weights.find(weight.sliced(0, 0, 39)), nullptr);
  EXPECT_EQ(weights.find(weight.reshaped({8, 40}, axes_of_rank(2))), nullptr);
  EXPECT_EQ(weights.find(random_tensor({40, 8}, 1)), nullptr);
}

TEST(PackedWeights, GoWithTheWeight) {
  PackedWeights weights(kPlenty);
  Tensor weight = random_tensor({40, 8}, 1);
  weights.keep(weight, packed(weight));
  const std::weak_ptr<const PackedMatrix> form = weights.find(weight);
  EXPECT_FALSE(form.expired());
  weight = random_tensor({40, 8}, 2);
  EXPECT_EQ(weights.find(weight), nullptr);
  EXPECT_TRUE(form.expired());
  EXPECT_EQ(weights.bytes(), 0);
}

TEST(PackedWeights, TheOneUsedLongestAgoMakesRoom) {
  std::vector<Tensor> tensors;
  for (std::uint32_t seed = 0; seed < 3; ++seed) tensors.push_back(random_tensor({32, 10}, seed));
  PackedWeights weights(2 * 32 * 10 * 4);
  weights.keep(tensors[0], packed(tensors[0]));
  weights.keep(tensors[1], packed(tensors[1]));
  EXPECT_NE(weights.find(tensors[0]), nullptr);
  weights.keep(tensors[2], packed(tensors[2]));
  EXPECT_NE(weights.find(tensors[0]), nullptr);
  EXPECT_EQ(weights.find(tensors[1]), nullptr);
  EXPECT_NE(weights.find(tensors[2]), nullptr);
  EXPECT_EQ(weights.bytes(), 2 * 32 * 10 * 4);
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

TEST(PackedWeights, AtLeastAGibibyteAndNotAllOfTheMemoryIsKept) {
  EXPECT_GE(most_packed_bytes(), std::int64_t{1} << 30);
  EXPECT_LE(most_packed_bytes(),
            std::max(std::int64_t{1} << 30, ::sysconf(_SC_PHYS_PAGES) / 2 * ::sysconf(_SC_PAGESIZE)));
}

}  // namespace
}  // namespace headscope
