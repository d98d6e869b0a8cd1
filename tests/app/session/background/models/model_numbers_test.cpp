#include "app/session/background/models/model_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/session/background/models/predictions.h"
#include "core/attention/engine.h"
#include "core/request/intervention_list.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

Request numbers_small_request(std::uint64_t seed, std::int64_t heads = 3) {
  Request request;
  request.phrase = "a b a b c a";
  request.d_model = 12;
  request.heads = heads;
  request.seed = seed;
  request.init_gain = 4;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return request;
}

std::shared_ptr<const Trace> computed(const Request& request) {
  Engine engine;
  return engine.run(request, {});
}

// Layers that have nothing to do with each other, as one model: what is shown of them does not depend on it.
std::shared_ptr<const Trace> model_of(std::int64_t layers, std::vector<AblatedHead> ablate = {}) {
  auto model = std::make_shared<ModelTrace>();
  for (std::int64_t l = 0; l < layers; ++l)
    model->layers.push_back(computed(numbers_small_request(static_cast<std::uint64_t>(l))));
  model->layer = layers - 1;
  auto trace = std::make_shared<Trace>(*model->layers.back());
  trace->request.ablate = std::move(ablate);
  trace->model = std::move(model);
  return trace;
}

// One of every kind, in a request that has none.
Request with_every_intervention(Request request) {
  for (const auto& [option, text] : {std::pair{"ablate", "0.1"},
                                     {"freeze", "0.0=uniform"},
                                     {"scale-query", "2"},
                                     {"scale-key", "0.1=0.5"},
                                     {"edit", "scores:0,2,3,1=0.5"},
                                     {"paint", "hide@:,3"}}) {
    find_request_option(option)->set(request, text);
  }
  return request;
}

EngineOptions of_whole_models() {
  EngineOptions options;
  options.whole_model = true;
  return options;
}

struct Numbers {
  explicit Numbers(EngineOptions options = {})
      : numbers(
            make_inline_executor(),
            [this](const Request& request, Engine& engine, const CancelToken& cancel, const auto&) {
              ++runs;
              return engine.run(request, cancel);
            },
            std::move(options), [this] { ++wakes; }) {}
  int runs = 0;
  int wakes = 0;
  ModelNumbers numbers;
};

TEST(ModelNumbers, KnowsEveryHeadOfEveryLayer) {
  Numbers n;
  const auto trace = model_of(2);
  const ModelResult result = n.numbers.want({.trace = trace});
  ASSERT_EQ(result.layers.size(), 2u);
  for (std::size_t l = 0; l < 2; ++l) {
    ASSERT_TRUE(result.layers[l]);
    ASSERT_EQ(result.layers[l]->heads.size(), 3u);
    double sum = 0;
    for (std::int64_t h = 0; h < 3; ++h) {
      const HeadMetrics expected = head_metrics(*trace->model->layers[l], 0, h);
      const HeadResult& head = result.layers[l]->heads[static_cast<std::size_t>(h)];
      EXPECT_EQ(head.metrics[HeadMetric::entropy].value, expected[HeadMetric::entropy].value);
      sum += expected[HeadMetric::entropy].value;
      EXPECT_EQ(head.picture.values(), matrix_at(trace->model->layers[l]->tensor(StageId::weights), 0, h).values());
      ASSERT_TRUE(head.mask);
      EXPECT_TRUE(head.mask->hidden.hidden(0, 0, 0, 5));
      EXPECT_FALSE(head.mask->hidden.hidden(0, 0, 5, 0));
    }
    EXPECT_TRUE(std::abs(result.layers[l]->mean_entropy - sum / 3) <= 1e-12);
  }
  EXPECT_FALSE(n.numbers.busy());
}

TEST(ModelNumbers, LongPhrasesArePooledByTheLargestCell) {
  Request request = numbers_small_request(1);
  request.phrase.clear();
  for (int i = 0; i < 150; ++i) request.phrase += "w" + std::to_string(i) + " ";
  auto model = std::make_shared<ModelTrace>();
  model->layers = {computed(request)};
  auto trace = std::make_shared<Trace>(*model->layers[0]);
  trace->model = model;
  Numbers n;
  const ModelResult result = n.numbers.want({.trace = trace});
  const Tensor& picture = result.layers[0]->heads[0].picture;
  ASSERT_EQ(picture.shape(), (Shape{50, 50}));
  const Tensor whole = matrix_at(trace->tensor(StageId::weights), 0, 0);
  float largest = 0;
  for (std::int64_t i = 147; i < 150; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) largest = std::max(largest, whole.at({i, j}));
  }
  EXPECT_EQ(picture.at({49, 0}), largest);
}

TEST(ModelNumbers, WithoutInterventionsTheResultIsItsOwnBaseline) {
  Numbers n;
  const auto trace = model_of(2);
  EXPECT_EQ(n.numbers.want({.trace = trace}).baseline, trace);
  auto listed = std::make_shared<Trace>(*trace);
  listed->request = with_every_intervention(listed->request);
  switch_interventions(listed->request, false);
  EXPECT_EQ(n.numbers.want({.trace = listed}).baseline, listed) << "what is switched off takes no part";
  EXPECT_EQ(n.runs, 0);
}

TEST(ModelNumbers, EveryInterventionIsComparedWithTheRequestWithoutAny) {
  const auto plain = model_of(1);
  for (const Intervention& each : interventions_of(with_every_intervention(plain->request), true)) {
    Numbers n;
    auto trace = std::make_shared<Trace>(*plain);
    trace->request = with_only(with_every_intervention(plain->request), each);
    const ModelResult result = n.numbers.want({.trace = trace});
    ASSERT_TRUE(result.baseline) << each.term;
    EXPECT_TRUE(result.baseline->request == plain->request) << each.term;
    EXPECT_EQ(n.runs, 1) << each.term;
    auto off = std::make_shared<Trace>(*trace);
    switch_interventions(off->request, false);
    EXPECT_EQ(n.numbers.want({.trace = off}).baseline, off) << each.term;
    EXPECT_EQ(n.numbers.want({.trace = trace}).baseline, off) << "seen before, with all of them off: " << each.term;
    EXPECT_EQ(n.runs, 1) << each.term;
  }
}

TEST(ModelNumbers, WhatEachDoesAloneIsWhatThatRequestPredicts) {
  Engine engine(of_whole_models());
  Request request;
  request.model = "demo:pronouns";
  request.phrase = "The animal didn't cross the street because it was too tired";
  const auto plain = engine.run(request, {});
  request.ablate = {{1, 7}};
  request.scale_query = {{LayerHead{1, 6}, 0.5, true}, {LayerHead{0, 2}, 3, false}};
  request.paint = {{true, 7, 8, 1, 2, true}};
  Numbers n(of_whole_models());
  const auto trace = engine.run(request, {});
  ModelResult result = n.numbers.want({.trace = trace, .alone = 2});
  ASSERT_EQ(result.alone.size(), 2u) << "no more than was asked for";
  const int runs = n.runs;
  result = n.numbers.want({.trace = trace, .alone = 9});
  ASSERT_EQ(result.alone.size(), 3u) << "what is switched off is not asked about";
  EXPECT_EQ(n.runs, runs + 1);
  const TokenProbability& first = result.baseline_predictions->tokens.front();
  EXPECT_EQ(first.piece, "animal");
  for (const Intervention& each : active_interventions(request, true)) {
    const auto alone = engine.run(with_only(request, each), {});
    const PredictionResult expected = predict(*alone->model, 0, result.predictions->position, {});
    ASSERT_NE(result.alone_of(each.term), nullptr) << each.term;
    EXPECT_EQ(result.alone_of(each.term)->probability, expected.probability_of(first.id)) << each.term;
    EXPECT_LT(*result.alone_of(each.term)->probability, first.probability) << each.term;
  }
  request.ablate.clear();
  request.paint.clear();
  EXPECT_TRUE(n.numbers.want({.trace = engine.run(request, {}), .alone = 9}).alone_of("1.6=0.5"))
      << "kept while the request without interventions stays";
}

TEST(ModelNumbers, TheBaselineIsTheSameRequestWithAllHeadsOn) {
  Numbers n;
  const auto trace = model_of(2, {{0, 1}});
  const ModelResult result = n.numbers.want({.trace = trace});
  ASSERT_TRUE(result.baseline);
  EXPECT_TRUE(result.baseline->request.ablate.empty());
  EXPECT_EQ(n.runs, 1);
  auto other = std::make_shared<Trace>(*trace);
  other->request.ablate = {{1, 2}};
  EXPECT_EQ(n.numbers.want({.trace = other}).baseline, result.baseline) << "kept while only the ablated heads change";
  EXPECT_EQ(n.runs, 1);
}

TEST(ModelNumbers, AResultSeenBeforeIsTheBaselineOfWhatFollows) {
  Numbers n;
  const auto whole = model_of(2);
  n.numbers.want({.trace = whole});
  auto ablated = std::make_shared<Trace>(*whole);
  ablated->request.ablate = {{1, 2}};
  EXPECT_EQ(n.numbers.want({.trace = ablated}).baseline, whole);
  EXPECT_EQ(n.runs, 0);
}

TEST(ModelNumbers, ABaselineThatFailsIsSaid) {
  ModelNumbers numbers(
      make_inline_executor(),
      [](const Request&, Engine&, const CancelToken&, const auto&) -> std::shared_ptr<const Trace> {
        throw Error("the disk is gone");
      },
      EngineOptions{}, [] {});
  const ModelResult result = numbers.want({.trace = model_of(1, {{0, 0}})});
  EXPECT_EQ(result.baseline, nullptr);
  EXPECT_EQ(result.failure, "the disk is gone");
  EXPECT_FALSE(numbers.busy());
}

TEST(ModelNumbers, AggregatesOfAllLayers) {
  Numbers n;
  const auto trace = model_of(2);
  const ModelResult result = n.numbers.want({.trace = trace, .aggregate = Aggregate::rollout});
  ASSERT_TRUE(result.aggregate);
  EXPECT_EQ(result.aggregate->failure, "");
  LayersOfWeights layers;
  for (const auto& layer : trace->model->layers) {
    layers.push_back(layer->tensor(StageId::weights).reshaped({3, 6, 6}, {Axis::head, Axis::query, Axis::key}));
  }
  EXPECT_EQ(result.aggregate->matrix.values(), aggregate_of(Aggregate::rollout, layers).values());
}

TEST(ModelNumbers, MergedAndHiddenTokensAreInEveryPicture) {
  Numbers n;
  const auto trace = model_of(1);
  const ModelResult result = n.numbers.want(
      {.trace = trace, .tokens = {.hide_tokens = HideTokens::first}, .aggregate = Aggregate::mean, .head = 2});
  EXPECT_EQ(result.layers[0]->heads[0].picture.shape(), (Shape{6, 5}));
  ASSERT_TRUE(result.picked);
  EXPECT_EQ(result.picked->matrix.values(), result.layers[0]->heads[2].picture.values());
  EXPECT_EQ(result.aggregate->matrix.shape(), (Shape{6, 5}));
  EXPECT_EQ(result.groups->column_labels, (std::vector<std::string>{"b", "a", "b", "c", "a"}));
  ASSERT_TRUE(result.picked->mask);
  EXPECT_TRUE(result.picked->mask->hidden.hidden(0, 0, 0, 0)) << "query 0 does not see key 1";
  EXPECT_FALSE(result.picked->mask->hidden.hidden(0, 0, 1, 0));
}

TEST(ModelNumbers, NormsInsteadOfWeights) {
  Numbers n;
  const auto trace = model_of(2);
  const ModelResult result = n.numbers.want({.trace = trace, .norms = true, .layer = 1, .head = 1});
  const Tensor expected = value_weighted_norms(*trace->model->layers[1], 0, 1);
  ASSERT_TRUE(result.picked);
  EXPECT_EQ(result.picked->matrix.values(), expected.values());
  EXPECT_EQ(result.layers[1]->heads[1].picture.values(), expected.values());
  EXPECT_GT(result.layers[1]->largest, 0);
}

TEST(ModelNumbers, LayersThatAreNotComputedYetAreNull) {
  const auto whole = model_of(2);
  auto model = std::make_shared<ModelTrace>(*whole->model);
  model->layers[0] = nullptr;
  auto trace = std::make_shared<Trace>(*whole);
  trace->model = model;
  Numbers n;
  const ModelResult result = n.numbers.want({.trace = trace, .aggregate = Aggregate::mean});
  EXPECT_EQ(result.layers[0], nullptr);
  EXPECT_NE(result.layers[1], nullptr);
  EXPECT_NE(result.aggregate->failure, "");
}

TEST(ModelNumbers, OnAThreadTheNewestWishWins) {
  ModelNumbers numbers(
      make_thread_executor(),
      [](const Request& request, Engine& engine, const CancelToken& cancel, const auto&) {
        return engine.run(request, cancel);
      },
      EngineOptions{}, [] {});
  std::shared_ptr<const Trace> last;
  for (int k = 0; k < 6; ++k) numbers.want({.trace = last = model_of(2, {{0, k % 3}})});
  while (numbers.busy()) {
  }
  const ModelResult result = numbers.want({.trace = last});
  EXPECT_TRUE(result.layers[0] && result.layers[1] && result.baseline);
}

}  // namespace
}  // namespace headscope
