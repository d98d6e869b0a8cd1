#include "core/heads/head_metric_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/heads/pattern.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

// A trace whose only head has these weights.
Trace values_head_of(const std::vector<std::string>& tokens, std::vector<float> values, bool causal) {
  const auto n = static_cast<std::int64_t>(tokens.size());
  Trace trace;
  auto inputs = std::make_shared<Inputs>();
  inputs->query_len = inputs->key_len = n;
  inputs->num_heads = 1;
  inputs->tokens = inputs->key_tokens = tokens;
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, n, n);
  for (std::int64_t i = 0; i < n && causal; ++i) {
    for (std::int64_t j = i + 1; j < n; ++j) mask->hidden.mutable_row(0, 0, i)[j] = 1;
  }
  mask->hidden.refresh_any();
  trace.inputs = inputs;
  trace.mask = mask;
  trace.stages.push_back(
      {StageId::weights, Tensor::of({1, 1, n, n}, {Axis::batch, Axis::head, Axis::query, Axis::key}, std::move(values)),
       "softmax", false, 0});
  return trace;
}

Trace with_inputs(Trace trace, const std::function<void(Inputs&)>& change) {
  auto inputs = std::make_shared<Inputs>(*trace.inputs);
  change(*inputs);
  trace.inputs = inputs;
  return trace;
}

const nlohmann::json& golden() {
  static const nlohmann::json numbers =
      nlohmann::json::parse(std::ifstream(HEADSCOPE_SOURCE_DIR "/tests/golden/head_numbers.json"));
  return numbers;
}

TEST(HeadMetrics, AreWhatNumpyGives) {
  ASSERT_EQ(golden().at("metrics").size(), 3u);
  for (const auto& made : golden().at("metrics")) {
    const auto tokens = made.at("tokens").get<std::vector<std::string>>();
    Trace trace = values_head_of(tokens, made.at("weights").get<std::vector<float>>(), made.at("causal").get<bool>());
    trace = with_inputs(trace, [&](Inputs& inputs) {
      const auto special = made.at("special").get<std::vector<std::int64_t>>();
      if (special.empty()) return;
      for (std::int64_t i = 0; i < inputs.query_len; ++i) inputs.words.push_back(i);
      for (const std::int64_t j : special) inputs.words[static_cast<std::size_t>(j)] = -1;
    });
    const HeadMetrics metrics = head_metrics(trace, 0, 0);
    for (const HeadMetric metric : all_head_metrics()) {
      const auto& expected = made.at("metrics").at(std::string(metric_key(metric)));
      const MetricValue& found = metrics[metric];
      if (expected.is_null()) {
        EXPECT_TRUE(std::isnan(found.value) && found.rows == 0) << made.at("name") << " " << metric_key(metric);
      } else {
        EXPECT_TRUE(std::abs(found.value - expected.get<double>()) <= 1e-6)
            << made.at("name") << " " << metric_key(metric) << ": " << found.value << ", expected " << expected;
      }
    }
  }
}

// a b a b: query 2 is a again, behind its earlier a lies position 1; query 3 is b again: position 2.
std::vector<float> follows_the_repeat() {
  return {1, 0, 0, 0, /**/ .5F, .5F, 0, 0, /**/ .25F, .75F, 0, 0, /**/ 0, .5F, .25F, .25F};
}

TEST(HeadMetrics, InductionIsTheWeightBehindTheEarlierToken) {
  const auto metrics = head_metrics(values_head_of({"a", "b", "a", "b"}, follows_the_repeat(), true), 0, 0);
  EXPECT_EQ(metrics[HeadMetric::induction].value, (0.75 + 0.25) / 2);
  EXPECT_EQ(metrics[HeadMetric::induction].rows, 2);
}

TEST(HeadMetrics, TokensOfAModelAreTheSameWhenTheirIdsAre) {
  const Trace spelled = values_head_of({"a", "b", "a", "b"}, follows_the_repeat(), true);
  const Trace ids = with_inputs(spelled, [](Inputs& inputs) { inputs.token_ids = {7, 8, 9, 8}; });
  EXPECT_EQ(head_metrics(ids, 0, 0)[HeadMetric::induction].value, 0.25) << "only b is there twice";
  EXPECT_EQ(head_metrics(ids, 0, 0)[HeadMetric::induction].rows, 1);
}

TEST(HeadMetrics, ATokenRightBehindItselfRepeatsNothing) {
  // The place behind the earlier a is the query itself: that is `self`, not induction.
  const auto metrics = head_metrics(values_head_of({"a", "a"}, {1, 0, .5F, .5F}, true), 0, 0);
  EXPECT_TRUE(std::isnan(metrics[HeadMetric::induction].value));
  EXPECT_EQ(metrics[HeadMetric::induction].rows, 0);
}

TEST(HeadMetrics, DistanceCountsTokensBothWays) {
  const auto metrics = head_metrics(values_head_of({"a", "b", "c"}, {0, 0, 1, .5F, 0, .5F, .5F, .5F, 0}, false), 0, 0);
  EXPECT_EQ(metrics[HeadMetric::mean_distance].value, (2 + 1 + 1.5) / 3);
}

TEST(HeadMetrics, TheExtraKeyHasNoDistance) {
  Trace trace = values_head_of({"a", "b", "c"}, {0, 0, 1, .5F, 0, .5F, .5F, .5F, 0}, false);
  trace = with_inputs(trace, [](Inputs& inputs) {
    inputs.query_len = inputs.key_len = 2;
    inputs.tokens.pop_back();
    inputs.key_tokens.pop_back();
  });
  trace.stages[0].tensor = trace.stages[0].tensor.sliced(2, 0, 2);
  EXPECT_EQ(head_metrics(trace, 0, 0)[HeadMetric::mean_distance].value, (0 + 0.5) / 2);
}

TEST(HeadMetrics, RowsWithNanSayNothing) {
  const auto metrics = head_metrics(values_head_of({"a", "b", "c"}, {1, 0, 0, NAN, 0, 1, 0, 0, 1}, false), 0, 0);
  EXPECT_EQ(metrics[HeadMetric::self].value, 1);
  EXPECT_EQ(metrics[HeadMetric::self].rows, 2);
  EXPECT_EQ(metrics[HeadMetric::entropy].rows, 2);
}

TEST(HeadMetrics, AcrossTwoPhrasesThereAreNoNeighbours) {
  Trace trace = values_head_of({"a", "b", "a"}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, false);
  trace.request.key_phrase = "a b a";
  const auto metrics = head_metrics(trace, 0, 0);
  for (const HeadMetric metric : {HeadMetric::previous_token, HeadMetric::next_token, HeadMetric::self,
                                  HeadMetric::mean_distance, HeadMetric::induction, HeadMetric::local}) {
    EXPECT_EQ(metrics[metric].rows, 0) << metric_key(metric);
  }
  EXPECT_EQ(metrics[HeadMetric::first_token].value, 1.0 / 3);
}

TEST(HeadMetrics, WeightsThatAreComputedWhenReadGiveTheSame) {
  Trace trace = values_head_of({"a", "b", "a", "b"}, follows_the_repeat(), true);
  const HeadMetrics stored = head_metrics(trace, 0, 0);
  const Tensor values = trace.stages[0].tensor;
  trace.stages[0].tensor =
      Tensor::computed(values.shape(), values.axes(),
                       [values](const Region& region, std::span<float> out) { values.read(region, out); });
  const HeadMetrics computed = head_metrics(trace, 0, 0);
  for (const HeadMetric metric : all_head_metrics()) {
    EXPECT_EQ(stored[metric].rows, computed[metric].rows);
    EXPECT_TRUE(stored[metric].rows == 0 || stored[metric].value == computed[metric].value) << metric_key(metric);
  }
}

TEST(HeadMetrics, CanBeCancelled) {
  const Trace trace = values_head_of({"a", "b"}, {1, 0, .5F, .5F}, true);
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(head_metrics(trace, 0, 0, TokenPlaces(trace), cancel), Cancelled);
}

TEST(HeadMetrics, EachHasAKeyANameAndAFormula) {
  for (const HeadMetric metric : all_head_metrics()) {
    EXPECT_EQ(metric_of_key(metric_key(metric)), metric);
    EXPECT_FALSE(metric_name(metric).empty());
    EXPECT_TRUE(metric_formula(metric).ends_with('.'));
  }
  EXPECT_EQ(metric_of_key("no such"), std::nullopt);
}

}  // namespace
}  // namespace headscope
