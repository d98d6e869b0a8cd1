// Gradient times weight and integrated gradients: against edited runs, and against runs without a layer's attention.
#include "core/sweep/weight_gradients.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/sweep/sweep.h"

namespace headscope {
namespace {

Request golden(const std::string& name) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
  request.token_ids = {1, 5, 4, 7, 8, 9};
  request.backend = BackendChoice::cpu;
  request.threads = 1;
  return request;
}

WeightGradients found(const Request& request, const std::string& metric, std::int64_t steps = 0) {
  return weight_gradients({}, {request, metric, {}, steps}, CancelToken());
}

// The metric after one weight was given another value.
double edited(const Request& request, const std::string& metric, std::int64_t layer,
              const std::vector<std::int64_t>& at, double value) {
  Request other = request;
  other.edits.push_back({"weights", at, static_cast<float>(value), layer});
  EngineOptions options;
  options.whole_model = true;
  const auto trace = Engine(options).run(other, CancelToken());
  const SweepMetric of = parse_sweep_metric(*trace->model->checkpoint, metric);
  return sweep_metric_of(*trace->model, of, metric_position(*trace, {}), {}, CancelToken());
}

TEST(WeightGradients, SumsOfWordsAddUpToTheHead) {
  const WeightGradients of = found(golden("gpt2"), "logit:3-8");
  for (const HeadWeightGradients& head : of.heads) {
    const Tensor& product = of.layers[static_cast<std::size_t>(head.layer)].product;
    ASSERT_EQ(head.by_query.size(), 6u);
    ASSERT_EQ(head.by_key.size(), 6u);
    double queries = 0, keys = 0;
    for (std::int64_t at = 0; at < 6; ++at) {
      double row = 0, column = 0;
      for (std::int64_t other = 0; other < 6; ++other) {
        row += static_cast<double>(product.at({0, head.head, at, other}));
        column += static_cast<double>(product.at({0, head.head, other, at}));
      }
      EXPECT_NEAR(head.by_query[static_cast<std::size_t>(at)], row, 1e-9);
      EXPECT_NEAR(head.by_key[static_cast<std::size_t>(at)], column, 1e-9);
      queries += head.by_query[static_cast<std::size_t>(at)];
      keys += head.by_key[static_cast<std::size_t>(at)];
    }
    EXPECT_NEAR(queries, head.sum, 1e-9);
    EXPECT_NEAR(keys, head.sum, 1e-9);
  }
}

TEST(WeightGradients, TheSlopeIsWhatAnEditedWeightDoes) {
  for (const char* name : {"gpt2", "llama"}) {
    const Request request = golden(name);
    const WeightGradients of = found(request, "logit:3-8");
    for (const auto& [layer, places] : {std::pair{0, std::vector<std::int64_t>{0, 1, 5, 2}}, {1, {0, 0, 5, 4}}}) {
      const Index at{places[0], places[1], places[2], places[3]};
      const LayerWeightGradients& own = of.layers[static_cast<std::size_t>(layer)];
      const auto weight = static_cast<double>(
          of.trace->model->layers[static_cast<std::size_t>(layer)]->tensor(StageId::weights).at(at));
      constexpr double kStep = 0.02;
      const double slope = (edited(request, "logit:3-8", layer, places, weight + kStep) -
                            edited(request, "logit:3-8", layer, places, weight - kStep)) /
                           (2 * kStep);
      EXPECT_NEAR(static_cast<double>(own.gradient.at(at)), slope, 2e-3 * std::max(1.0, std::abs(slope))) << name;
      EXPECT_FLOAT_EQ(own.product.at(at), static_cast<float>(static_cast<double>(own.gradient.at(at)) * weight));
    }
  }
}

TEST(WeightGradients, HeadsAreSumsOfTheirCells) {
  const WeightGradients of = found(golden("gpt2"), "loss");
  const std::int64_t heads = of.trace->num_heads();
  ASSERT_EQ(std::ssize(of.heads), heads * std::ssize(of.layers));
  double sum = 0, absolute = 0, largest = 0;
  const Tensor& product = of.layers[1].product;
  for (std::int64_t i = 0; i < product.dim(2); ++i) {
    for (std::int64_t j = 0; j < product.dim(3); ++j) {
      const auto cell = static_cast<double>(product.at({0, 1, i, j}));
      sum += cell;
      absolute += std::abs(cell);
      if (std::abs(cell) > std::abs(largest)) largest = cell;
    }
  }
  const HeadWeightGradients& head = of.heads[static_cast<std::size_t>(heads + 1)];
  EXPECT_EQ(head.layer, 1);
  EXPECT_EQ(head.head, 1);
  EXPECT_NEAR(head.sum, sum, 1e-9);
  EXPECT_NEAR(head.absolute, absolute, 1e-9);
  EXPECT_EQ(head.largest, largest);
  EXPECT_EQ(static_cast<double>(product.at({0, 1, head.query, head.key})), largest);
}

// The difference is also a cell of a sweep that sets the weights of a layer to 0.
TEST(WeightGradients, APathAddsUpToWhatTheLayersAttentionDoes) {
  for (const char* name : {"gpt2", "llama"}) {
    const Request request = golden(name);
    const WeightGradients coarse = found(request, "logit:3-8", 4), fine = found(request, "logit:3-8", 300);
    SweepQuestion question;
    question.patched = request;
    question.metric = "logit:3-8";
    question.patch = SweepPatch::stages;
    question.ablation = Ablation::zero;
    const Sweep zeros = sweep({}, question, CancelToken(), {});
    for (std::size_t layer = 0; layer < fine.layers.size(); ++layer) {
      const double difference = fine.layers[layer].difference.value();
      for (const SweepCell& cell : zeros.cells) {
        if (cell.stage != "weights" || cell.layer != static_cast<std::int64_t>(layer)) continue;
        EXPECT_NEAR(difference, zeros.unpatched - cell.value, 1e-5) << name;
      }
      const double gap = std::abs(difference - fine.layers[layer].sum);
      EXPECT_LT(gap, 2e-3 * std::max(1.0, std::abs(difference))) << name << " layer " << layer;
      EXPECT_LE(gap, std::abs(difference - coarse.layers[layer].sum) + 1e-4) << name << " layer " << layer;
    }
  }
}

TEST(WeightGradients, AProbabilityIsIntegratedWhereItsSlopeIsFlat) {
  Request request;
  request.model = "demo:induction";
  request.phrase = "cat box ink fox jam cat";
  const WeightGradients at_run = found(request, "prob:box"), path = found(request, "prob:box", 20);
  EXPECT_LT(std::abs(at_run.layers[1].sum), 0.05) << "at the run the slopes of the heads cancel";
  EXPECT_GT(path.layers[1].sum, 0.45) << "but without the layer's attention half of the probability is gone";
  EXPECT_NEAR(path.layers[1].sum, path.layers[1].difference.value(), 0.01);
}

TEST(WeightGradients, WhatHasNoSlopeIsRefused) {
  EXPECT_THROW(found(golden("gpt2"), "kl"), UsageError);
  Request layer;
  layer.phrase = "a b";
  EXPECT_THROW(found(layer, "loss"), UsageError);
  EXPECT_THROW(found(golden("mixtral"), "loss"), UsageError);
}

}  // namespace
}  // namespace headscope
