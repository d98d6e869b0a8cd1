// Which experts a row chooses, against plain loops in double; whole models are in tests/golden/models.
#include "core/model/experts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/backend/backend_factory.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

const Axes kAxes{Axis::batch, Axis::position, Axis::feature};
const std::string kModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

// A router that gives the row's own numbers as logits.
ExpertWeights identity(std::int64_t size) {
  std::vector<float> values(static_cast<std::size_t>(size * size));
  for (std::int64_t k = 0; k < size; ++k) values[static_cast<std::size_t>(k * size + k)] = 1;
  ExpertWeights weights;
  weights.router.weight = Tensor::of({size, size}, {Axis::position, Axis::feature}, values);
  return weights;
}

TEST(Experts, TheLargestComeFirstAndOfEqualOnesTheFirst) {
  MixtureRule rule;
  rule.experts = 4;
  rule.chosen = 2;
  const Tensor x = Tensor::of({1, 2, 4}, kAxes, {0, 2, 1, 2, 3, -1, 3, 0});
  const auto backend = make_backend({BackendChoice::cpu, 1});
  const Routing to = routing_of(rule, identity(4), x, *backend, {});
  EXPECT_EQ(to.chosen.values(), (std::vector<float>{1, 3, 0, 2}));
  EXPECT_EQ(to.factors.values(), (std::vector<float>{0.5F, 0.5F, 0.5F, 0.5F}));
  const double sum = 1 + std::exp(1.0) + 2 * std::exp(2.0);
  EXPECT_TRUE(std::abs(to.probabilities.at({0, 0, 1}) - std::exp(2.0) / sum) <= 1e-7);
  EXPECT_TRUE(std::abs(to.probabilities.at({0, 0, 0}) - 1 / sum) <= 1e-7);
  rule.renormalised = false;
  const Routing as_they_are = routing_of(rule, identity(4), x, *backend, {});
  EXPECT_EQ(as_they_are.factors.at({0, 0, 0}), to.probabilities.at({0, 0, 1}));
}

// Rows alone, together, and in batches have the same bits, on both backends.
TEST(Experts, ARowDependsOnItselfAlone) {
  for (const char* name : {"mixtral", "qwen3_moe", "gpt_oss", "deepseek_v2-grouped", "deepseek_v3"}) {
    const auto checkpoint = Checkpoint::open(kModels + name);
    const Architecture& architecture = checkpoint->architecture();
    const BlockWeights block = checkpoint->block(architecture.num_layers - 1);
    ASSERT_NE(block.experts, nullptr) << name;
    std::vector<float> values;
    for (int k = 0; k < 2 * 9 * architecture.d_model; ++k) values.push_back(std::sin(0.7F * static_cast<float>(k)));
    const Tensor x = Tensor::of({2, 9, architecture.d_model}, kAxes, values);
    for (const BackendChoice choice : {BackendChoice::reference, BackendChoice::cpu}) {
      Tensor all = Tensor::zeros(x.shape(), kAxes), again = Tensor::zeros(x.shape(), kAxes);
      experts_of(architecture, *block.experts, x, *make_backend({choice, 1}), {}, all);
      experts_of(architecture, *block.experts, x, *make_backend({choice, 3}), {}, again);
      EXPECT_EQ(all.values(), again.values()) << name;
      const Tensor row = x.sliced(0, 1, 2).sliced(1, 4, 5);
      Tensor one = Tensor::zeros(row.shape(), kAxes);
      experts_of(architecture, *block.experts, row, *make_backend({choice, 1}), {}, one);
      EXPECT_EQ(one.values(), all.sliced(0, 1, 2).sliced(1, 4, 5).values()) << name;
    }
  }
}

// Sigmoids 1 / (1 + e^-x), of which the corrected ones choose and the others are factors; groups {0, 1}, {2, 3}, {4,
// 5}.
TEST(Experts, TheBestGroupsAreChosenByCorrectedSigmoids) {
  MixtureRule rule;
  rule.experts = 6;
  rule.chosen = 2;
  rule.sigmoid = true;
  rule.factor = 2.5;
  const Tensor x = Tensor::of({1, 1, 6}, kAxes, {3, -4, 1, 1, 0, 1.5});
  const auto backend = make_backend({BackendChoice::reference, 1});
  const auto sigmoid = [](double logit) { return 1 / (1 + std::exp(-logit)); };
  ExpertWeights weights = identity(6);
  const Routing free = routing_of(rule, weights, x, *backend, {});
  EXPECT_EQ(free.chosen.values(), (std::vector<float>{0, 5}));
  EXPECT_TRUE(std::abs(free.probabilities.at({0, 0, 1}) - sigmoid(-4)) <= 1e-7);
  EXPECT_TRUE(std::abs(free.factors.at({0, 0, 1}) - 2.5 * sigmoid(1.5) / (sigmoid(3) + sigmoid(1.5))) <= 1e-6);

  rule.groups = 3;
  rule.chosen_groups = 1;
  EXPECT_EQ(routing_of(rule, weights, x, *backend, {}).chosen.values(), (std::vector<float>{0, 1}))
      << "the group of the largest";
  rule.correction = true;
  weights.correction = Tensor::of({6}, {Axis::feature}, {0, 0, 0, 0.01F, 0, 0});
  const Routing corrected = routing_of(rule, weights, x, *backend, {});
  EXPECT_EQ(corrected.chosen.values(), (std::vector<float>{3, 2})) << "the group of the largest sum of two";
  EXPECT_TRUE(std::abs(corrected.factors.at({0, 0, 0}) - 1.25) <= 1e-6) << "factors are not corrected";
}

TEST(Experts, NoLogitsHideANaN) {
  MixtureRule rule;
  rule.experts = 3;
  rule.chosen = 1;
  const Tensor x = Tensor::of({1, 1, 3}, kAxes, {NAN, 1, 2});
  const Routing to = routing_of(rule, identity(3), x, *make_backend({BackendChoice::reference, 1}), {});
  EXPECT_TRUE(std::isnan(to.factors.at({0, 0, 0})));
}

}  // namespace
}  // namespace headscope
