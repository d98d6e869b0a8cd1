#include "core/heads/aggregate_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

const nlohmann::json& golden() {
  static const nlohmann::json numbers =
      nlohmann::json::parse(std::ifstream(HEADSCOPE_SOURCE_DIR "/tests/golden/head_numbers.json"));
  return numbers;
}

Tensor layer_of(std::int64_t heads, std::int64_t n, std::vector<float> values) {
  return Tensor::of({heads, n, n}, {Axis::head, Axis::query, Axis::key}, std::move(values));
}

testing::AssertionResult values_near(const Tensor& found, const std::vector<double>& expected, double tolerance) {
  const std::vector<float> values = found.values();
  if (values.size() != expected.size()) return testing::AssertionFailure() << values.size() << " values";
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!(std::abs(static_cast<double>(values[k]) - expected[k]) <= tolerance)) {
      return testing::AssertionFailure() << "value " << k << ": " << values[k] << ", expected " << expected[k];
    }
  }
  return testing::AssertionSuccess();
}

LayersOfWeights layers_of(const nlohmann::json& made) {
  const auto heads = made.at("heads").get<std::int64_t>(), n = made.at("tokens").get<std::int64_t>();
  const auto values = made.at("weights").get<std::vector<float>>();
  LayersOfWeights layers;
  const std::ptrdiff_t size = heads * n * n;
  for (std::ptrdiff_t begin = 0; begin < static_cast<std::ptrdiff_t>(values.size()); begin += size) {
    layers.push_back(layer_of(heads, n, {values.begin() + begin, values.begin() + begin + size}));
  }
  return layers;
}

TEST(Aggregates, AreWhatNumpyGives) {
  ASSERT_EQ(golden().at("aggregates").size(), 3u);
  for (const auto& made : golden().at("aggregates")) {
    const LayersOfWeights layers = layers_of(made);
    ASSERT_EQ(layers.size(), made.at("layers").get<std::size_t>());
    for (const Aggregate aggregate : all_aggregates()) {
      const std::string name(aggregate_name(aggregate));
      EXPECT_TRUE(values_near(aggregate_of(aggregate, layers), made.at(name).get<std::vector<double>>(), 1e-6))
          << made.at("name") << " " << name;
    }
  }
}

TEST(Aggregates, ValueWeightedNormsAreWhatTorchGives) {
  const auto& made = golden().at("norms");
  const auto size = [&](const char* key) { return made.at(key).get<std::int64_t>(); };
  const auto numbers = [&](const char* key) { return made.at(key).get<std::vector<float>>(); };
  const std::int64_t heads = size("heads"), n = size("tokens"), dim = size("head_dim");
  Inputs inputs;
  inputs.query_len = inputs.key_len = n;
  inputs.num_heads = heads;
  inputs.weights.output.weight = tensor_of({size("width"), heads * dim}, numbers("output"));
  Trace trace;
  trace.inputs = std::make_shared<const Inputs>(std::move(inputs));
  trace.stages.push_back({StageId::value, tensor_of({1, size("kv_heads"), n, dim}, numbers("value")), "", false, 0});
  trace.stages.push_back({StageId::weights, tensor_of({1, heads, n, n}, numbers("weights")), "", false, 0});
  const auto expected = made.at("norms").get<std::vector<double>>();
  for (std::int64_t h = 0; h < heads; ++h) {
    EXPECT_TRUE(values_near(value_weighted_norms(trace, 0, h),
                            {expected.begin() + h * n * n, expected.begin() + (h + 1) * n * n}, 2e-6))
        << "head " << h;
  }
}

TEST(Aggregates, WithoutAnOutputProjectionItIsTheValueItself) {
  Inputs inputs;
  inputs.query_len = inputs.key_len = 2;
  inputs.num_heads = 1;
  Trace trace;
  trace.inputs = std::make_shared<const Inputs>(std::move(inputs));
  trace.stages.push_back({StageId::value, tensor_of({1, 1, 2, 2}, {3, 4, 0, 2}), "", false, 0});
  trace.stages.push_back({StageId::weights, tensor_of({1, 1, 2, 2}, {.5F, .5F, 0, 1}), "", false, 0});
  EXPECT_TRUE(values_near(value_weighted_norms(trace, 0, 0), {2.5, 1, 0, 2}, 1e-7));
}

TEST(Aggregates, LaterLayersStandAtTheLeft) {
  // Layer 1 moves everything from token 1 to token 0, layer 2 from token 0 to token 1: query 1 reaches 0 only when the
  // first layer's map is applied first.
  const Tensor identity_but_one = layer_of(1, 2, {1, 0, 1, 0});
  const Tensor identity = layer_of(1, 2, {1, 0, 0, 1});
  const Tensor swap = layer_of(1, 2, {0, 1, 0, 1});
  EXPECT_TRUE(values_near(aggregate_of(Aggregate::rollout, {identity_but_one, identity}), {1, 0, .5, .5}, 1e-7));
  EXPECT_TRUE(values_near(aggregate_of(Aggregate::rollout, {identity_but_one, swap}), {.75, .25, .5, .5}, 1e-7));
  EXPECT_TRUE(values_near(aggregate_of(Aggregate::rollout, {swap, identity_but_one}), {.5, .5, .25, .75}, 1e-7));
}

TEST(Aggregates, FlowThroughOneLayerIsItsCapacity) {
  const Tensor layer = layer_of(1, 2, {.25F, .75F, .5F, .5F});
  EXPECT_TRUE(values_near(aggregate_of(Aggregate::flow, {layer}), {.625, .375, .25, .75}, 1e-7));
}

TEST(Aggregates, FlowIsHeldByTheNarrowestPlace) {
  // Both paths from query 0 to key 0 are full: .5 straight down twice, and what the detour by token 1 lets through.
  const Tensor even = layer_of(1, 2, {.5F, .5F, .5F, .5F});
  EXPECT_TRUE(values_near(aggregate_of(Aggregate::flow, {even, even}), {1, .5, .5, 1}, 1e-7));
}

TEST(Aggregates, NanIsNotHidden) {
  const Tensor layer = layer_of(1, 2, {NAN, .5F, .5F, .5F});
  EXPECT_TRUE(std::isnan(aggregate_of(Aggregate::max, {layer, layer}).at({0, 0})));
  EXPECT_TRUE(std::isnan(aggregate_of(Aggregate::mean, {layer}).at({0, 0})));
  EXPECT_TRUE(std::isnan(aggregate_of(Aggregate::rollout, {layer}).at({0, 1})));
  EXPECT_TRUE(std::isnan(aggregate_of(Aggregate::flow, {layer}).at({1, 1})));
}

TEST(Aggregates, WhatCannotBeIsSaid) {
  const Tensor wide = Tensor::zeros({1, 2, 3}, {Axis::head, Axis::query, Axis::key});
  EXPECT_THROW(aggregate_of(Aggregate::rollout, {wide}), UsageError);
  EXPECT_NO_THROW(aggregate_of(Aggregate::mean, {wide}));
  const Tensor large = Tensor::zeros({1, 65, 65}, {Axis::head, Axis::query, Axis::key});
  EXPECT_FALSE(flow_fits(65, 1));
  EXPECT_FALSE(flow_fits(1, 4096));
  EXPECT_TRUE(flow_fits(34, 12));
  EXPECT_THROW(aggregate_of(Aggregate::flow, {large}), UsageError);
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(aggregate_of(Aggregate::flow, {layer_of(1, 1, {1})}, cancel), Cancelled);
}

TEST(Aggregates, EachHasANameAndAFormula) {
  for (const Aggregate aggregate : all_aggregates()) {
    EXPECT_EQ(aggregate_named(aggregate_name(aggregate)), aggregate);
    EXPECT_FALSE(aggregate_formula(aggregate).empty());
  }
  EXPECT_EQ(aggregate_named("sum"), std::nullopt);
}

}  // namespace
}  // namespace headscope
