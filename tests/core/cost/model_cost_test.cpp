// Costs of every kind of model against the sizes of their tensors, and against the same model on a text that is twice
// as long.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/cost/cost_words.h"
#include "core/cost/layer_cost.h"
#include "core/model/inputs.h"
#include "core/model/layer_weights.h"
#include "core/model/relative_positions.h"
#include "tests/core/cost/plain_cost.h"

namespace headscope {
namespace {

using S = StageId;

Request request_of(const std::string& model, int tokens) {
  Request request;
  request.model = model;
  request.layer = 1;
  for (int i = 0; i < tokens; ++i) request.token_ids.push_back(3 + (5 * i) % 11);
  return request;
}

std::vector<std::string> golden_models() {
  std::vector<std::string> folders;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models")) {
    if (entry.is_directory()) folders.push_back(entry.path().string());
  }
  return folders;
}

bool is_of_latents(const std::string& model) {
  return model.find("deepseek") != std::string::npos;
}

// The same amounts for the same formulas.
void expect_same(const CostAmounts& a, const CostAmounts& b, const std::string& what) {
  EXPECT_EQ(a.multiply_adds, b.multiply_adds) << what;
  EXPECT_EQ(a.others, b.others) << what;
  EXPECT_EQ(a.read, b.read) << what;
  EXPECT_EQ(a.written, b.written) << what;
  EXPECT_EQ(a.cached, b.cached) << what;
}

// What every stage that costs bytes writes: all of it.
void expect_sizes(const Trace& trace, const LayerCost& cost, const std::string& model) {
  for (const StageCost& stage : cost.stages) {
    const std::string what = model + " " + std::string(stage_name(stage.stage));
    const bool writes = stage.now.written > 0;
    EXPECT_EQ(stage.now.written, writes ? 4 * size_of(trace, stage.stage) : 0) << what;
    if (is_of_latents(model) || stage.stage == S::c2p || stage.stage == S::p2c) continue;
    EXPECT_EQ(stage.now.multiply_adds, plain_multiply_adds(trace, stage.stage)) << what;
  }
  const LayerWeights& weights = trace.inputs->weights;
  if (const StageCost* output = cost.find(S::output)) {
    EXPECT_EQ(output->now.read, 4 * size_of(trace, S::concat) + bytes_of(weights.output)) << model;
  }
  if (const StageCost* query = cost.find(S::query_proj); query != nullptr && !weights.fused()) {
    EXPECT_EQ(query->now.read, 4 * size_of(trace, S::input) + bytes_of(weights.query)) << model;
  }
  if (const StageCost* qkv = cost.find(S::qkv)) {
    EXPECT_EQ(qkv->now.read, 4 * size_of(trace, S::input) + bytes_of(weights.qkv)) << model;
  }
  const StageCost* scores = cost.find(S::raw_scores);
  ASSERT_NE(scores, nullptr);
  EXPECT_EQ(scores->now.read, 4 * (size_of(trace, S::query) + size_of(trace, S::key))) << model;
}

TEST(ModelCost, OfEveryFamilyIsThatOfItsTensorsAndGrowsAsItDoes) {
  int counted = 0;
  for (const std::string& model : golden_models()) {
    std::shared_ptr<const Trace> trace, longer;
    try {
      trace = computed(request_of(model, 4));
      longer = computed(request_of(model, 8));
    } catch (const UsageError&) {
      continue;  // a model that takes no tokens of its own
    }
    const LayerCost cost = layer_cost(*trace), expected = layer_cost(*longer);
    expect_sizes(*trace, cost, model);
    ASSERT_EQ(cost.stages.size(), expected.stages.size()) << model;
    for (std::size_t k = 0; k < cost.stages.size(); ++k) {
      expect_same(cost.stages[k].twice, expected.stages[k].now,
                  model + " " + std::string(stage_name(cost.stages[k].stage)));
    }
    if (!is_of_latents(model)) {
      EXPECT_EQ(cost.now.cached, 4 * (size_of(*trace, S::key) + size_of(*trace, S::value))) << model;
    }
    EXPECT_FALSE(cost_sentences(cost).empty());
    ++counted;
  }
  EXPECT_GE(counted, 60);
}

TEST(ModelCost, OfRotaryPositionsIsThreeOperationsForEveryNumberThatTurns) {
  Request request;
  request.model = "demo:stories";
  request.phrase = "the cat sat on the mat";
  const auto trace = computed(request);
  const LayerCost cost = layer_cost(*trace);
  for (const StageId stage : {S::query, S::key}) {
    const double numbers = size_of(*trace, stage);
    EXPECT_EQ(cost.find(stage)->now.others, 3 * numbers) << stage_name(stage);
    EXPECT_EQ(cost.find(stage)->now.bytes(), 2 * 4 * numbers) << stage_name(stage);
  }
  EXPECT_EQ(cost.find(S::value)->now.bytes(), 0);
  EXPECT_TRUE(cost.of_model);
}

TEST(ModelCost, OfSinksReadsThemWithEveryRow) {
  const std::string model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt_oss";
  const auto trace = computed(request_of(model, 6));
  const LayerCost cost = layer_cost(*trace);
  const double cells = size_of(*trace, S::weights), rows = cells / 6;
  EXPECT_EQ(cost.find(S::weights)->now.others, 5 * cells + 4 * rows);
  EXPECT_EQ(cost.find(S::weights)->now.read, 4 * (cells + static_cast<double>(trace->num_heads())));
  EXPECT_EQ(cost.find(S::sink_weights)->now.written, 4 * rows);
}

TEST(ModelCost, OfLatentsKeepsLatentsAlone) {
  const std::string model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/deepseek_v3";
  const auto trace = computed(request_of(model, 6));
  const LayerCost cost = layer_cost(*trace);
  EXPECT_EQ(cost.now.cached, 4 * size_of(*trace, S::key_input));
  EXPECT_LT(cost.now.cached, 4 * (size_of(*trace, S::key) + size_of(*trace, S::value)));
  const double width = static_cast<double>(trace->inputs->weights.output.weight.dim(0));
  EXPECT_EQ(cost.find(S::key_input)->now.multiply_adds, size_of(*trace, S::key_input) * width);
}

TEST(ModelCost, OfRelativePositionsProjectsTheirTableAndMeetsIt) {
  const std::string model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/deberta_v2";
  const auto trace = computed(request_of(model, 6));
  const LayerCost cost = layer_cost(*trace);
  const double width = features_of(*trace, {S::output}), heads = static_cast<double>(trace->num_heads());
  const double head_dim = features_of(*trace, {S::query});
  ASSERT_NE(cost.find(S::c2p), nullptr);
  const auto positions = static_cast<double>(trace->inputs->relative_positions->rows.dim(1));
  EXPECT_EQ(cost.find(S::c2p)->now.multiply_adds,
            positions * width * heads * head_dim + heads * 6 * positions * head_dim);
  const double cells = size_of(*trace, S::scores);
  EXPECT_EQ(cost.find(S::masked_scores)->now.read, 4 * 3 * cells) << "scores, c2p, p2c";
  EXPECT_EQ(cost.find(S::masked_scores)->now.others, 2 * cells);
}

}  // namespace
}  // namespace headscope
