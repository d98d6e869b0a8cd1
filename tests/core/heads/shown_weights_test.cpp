#include "core/heads/shown_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/heads/head_metric_values.h"
#include "core/heads/shown_rows.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"
#include "tests/core/heads/grouped_run.h"

namespace headscope {
namespace {

// ---- against NumPy

Trace made_trace(const nlohmann::json& made) {
  Inputs inputs;
  inputs.batch = made.at("batch");
  inputs.num_heads = made.at("heads");
  inputs.num_kv_heads = made.at("kv_heads");
  inputs.words = made.at("words").get<std::vector<std::int64_t>>();
  inputs.query_len = inputs.key_len = std::ssize(inputs.words);
  inputs.tokens = inputs.key_tokens = numbered_tokens("t", inputs.query_len);
  const std::int64_t n = inputs.query_len;
  Trace trace;
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, n, n, made.at("causal") ? MaskRule{.open = 0} : MaskRule{});
  trace.mask = mask;
  trace.stages.push_back({StageId::value,
                          Tensor::of({inputs.batch, inputs.num_kv_heads, n, made.at("features")},
                                     {Axis::batch, Axis::head, Axis::position, Axis::feature},
                                     made.at("values").get<std::vector<float>>()),
                          "", false, 0});
  trace.stages.push_back(
      {StageId::weights,
       Tensor::of({inputs.batch, inputs.num_heads, n, n}, {Axis::batch, Axis::head, Axis::query, Axis::key},
                  made.at("weights").get<std::vector<float>>()),
       "softmax", false, 0});
  trace.inputs = std::make_shared<const Inputs>(std::move(inputs));
  return trace;
}

TEST(ShownWeights, AreWhatNumpyGives) {
  const auto golden = nlohmann::json::parse(std::ifstream(HEADSCOPE_SOURCE_DIR "/tests/golden/shown_numbers.json"));
  ASSERT_EQ(golden.size(), 4u);
  for (const auto& made : golden) {
    Trace trace = made_trace(made);
    for (const auto& result : made.at("results")) {
      find_request_option("groups")->set(trace.request, result.at("groups"));
      find_request_option("hide-tokens")->set(trace.request, result.at("hide_tokens"));
      find_request_option("weighting")->set(trace.request, result.at("weighting"));
      trace.request.top_p = result.at("top_p");
      trace.request.renormalise = result.at("renormalise");
      const Tensor found = shown_weights(trace, StageId::weights);
      ASSERT_EQ(found.dim(2), result.at("rows").get<std::int64_t>());
      ASSERT_EQ(found.dim(3), result.at("columns").get<std::int64_t>());
      const std::vector<float> values = found.values();
      const auto expected = result.at("values").get<std::vector<double>>();
      ASSERT_EQ(values.size(), expected.size());
      for (std::size_t k = 0; k < values.size(); ++k) {
        EXPECT_TRUE(std::abs(static_cast<double>(values[k]) - expected[k]) <= 1e-6 * (1 + std::abs(expected[k])))
            << showing_sentence(showing_of(trace.request)) << ", cell " << k << ": " << values[k] << ", expected "
            << expected[k];
      }
    }
  }
}

// ---- of computed results

TEST(ShownWeights, ValueNormsAreThoseOfTheKeyAndValueHead) {
  Request request = grouped_request();
  request.weighting = Weighting::value_norm;
  const auto trace = run(request);
  const Tensor &weights = trace->tensor(StageId::weights), &value = trace->tensor(StageId::value);
  ASSERT_EQ(value.dim(1), 2);
  const Tensor shown = shown_weights(*trace, StageId::weights);
  EXPECT_EQ(weighted_weights(*trace, Weighting::value_norm).values(), shown.values());
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t h = 0; h < 4; ++h) {
      for (std::int64_t i = 0; i < 6; ++i) {
        for (std::int64_t j = 0; j < 6; ++j) {
          const double expected = static_cast<double>(weights.at({b, h, i, j})) * length_of(value, b, h / 2, j);
          EXPECT_TRUE(std::abs(static_cast<double>(shown.at({b, h, i, j})) - expected) <= 1e-6);
        }
      }
    }
  }
}

TEST(ShownWeights, NothingAskedIsTheResultItself) {
  const auto trace = run(grouped_request());
  EXPECT_FALSE(shows_otherwise(*trace));
  EXPECT_TRUE(same_storage(shown_weights(*trace, StageId::weights), trace->tensor(StageId::weights)));
  EXPECT_EQ(&AsShown(*trace).trace(), trace.get());
  EXPECT_EQ(trace_to_export(*trace).groups, nullptr);
}

TEST(ShownWeights, OtherStagesAreComputedFromTheTrueWeights) {
  Request request = grouped_request();
  const auto plain = run(request);
  request.hide_tokens = HideTokens::first;
  request.top_p = 0.4;
  request.renormalise = true;
  const auto trace = run(request);
  for (const Stage& stage : plain->stages) {
    EXPECT_EQ(trace->tensor(stage.id).values(), stage.tensor.values()) << stage_name(stage.id);
  }
  const TraceToExport of = trace_to_export(*trace);
  EXPECT_EQ(of.trace.stages.size(), plain->stages.size());
  EXPECT_EQ(of.trace.tensor(StageId::weights).dim(3), 5);
  EXPECT_EQ(of.trace.tensor(StageId::scores).dim(3), 6);
  EXPECT_EQ(of.column_names(StageId::weights).size(), 5u);
  EXPECT_EQ(of.column_names(StageId::scores).size(), 6u);
  EXPECT_NE(of.trace.find(StageId::weights)->operation.find("as shown"), std::string::npos);
}

TEST(ShownWeights, CellsThatAreComputedWhenReadAreTheSame) {
  Request request = grouped_request();
  request.hide_tokens = HideTokens::first;
  request.weighting = Weighting::value_norm;
  request.top_p = 0.6;
  const auto stored = run(request);
  EngineOptions options;
  options.stage_memory = 0;
  const auto computed = run(request, options);
  ASSERT_FALSE(computed->tensor(StageId::weights).stored());
  const Tensor shown = shown_weights(*computed, StageId::weights);
  EXPECT_EQ(shown.values(), shown_weights(*stored, StageId::weights).values());
  std::vector<float> part(6);
  shown.read(Region{{1, 2}, {2, 3}, {3, 5}, {1, 4}}, part);
  for (std::size_t k = 0; k < part.size(); ++k) {
    EXPECT_EQ(part[k], shown.at({1, 2, 3 + static_cast<std::int64_t>(k) / 3, 1 + static_cast<std::int64_t>(k) % 3}));
  }
}

TEST(ShownWeights, TheKeyOfBiasKStaysAndHasAValue) {
  Inputs inputs = alone_inputs({.heads = 2, .kv_heads = 2});
  Trace trace;
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, 5, 6);  // one key more than tokens
  trace.mask = mask;
  trace.stages.push_back({StageId::value, random_tensor({1, 2, 6, 3}, 4), "", false, 0});
  trace.stages.push_back({StageId::weights, random_tensor({1, 2, 5, 6}, 5), "", false, 0});
  trace.inputs = std::make_shared<const Inputs>(std::move(inputs));
  trace.request.hide_tokens = HideTokens::first;
  trace.request.weighting = Weighting::value_norm;
  const Trace shown = shown_trace(trace);
  EXPECT_EQ(shown.key_labels(), (std::vector<std::string>{"k1", "k2", "k3", "k4", "bias_k"}));
  const double expected = static_cast<double>(trace.tensor(StageId::weights).at({0, 1, 2, 5})) *
                          length_of(trace.tensor(StageId::value), 0, 1, 5);
  EXPECT_TRUE(std::abs(static_cast<double>(shown.tensor(StageId::weights).at({0, 1, 2, 4})) - expected) <= 1e-6);
}

TEST(ShownWeights, KeysOfCrossAttentionStayPieces) {
  Request request = grouped_request();
  request.batch.reset();
  request.embedding = Embedding::token;
  request.mask.clear();
  request.key_phrase = "uno dos tres";
  request.groups = GroupBy::words;
  request.hide_tokens = HideTokens::first;
  const Trace shown = shown_trace(*run(request));
  EXPECT_EQ(shown.query_len(), 6);
  EXPECT_EQ(shown.key_labels(), (std::vector<std::string>{"dos", "tres"}));
}

TEST(ShownWeights, ACaptureWithoutValuesHasNoValueNorms) {
  Trace trace = *run(grouped_request());
  std::erase_if(trace.stages, [](const Stage& stage) { return stage.id == StageId::value; });
  trace.request.weighting = Weighting::value_norm;
  try {
    shown_weights(trace, StageId::weights);
    ADD_FAILURE() << "not refused";
  } catch (const UsageError& error) {
    EXPECT_EQ(error.option(), "weighting");
    EXPECT_NE(std::string(error.what()).find("no values"), std::string::npos);
  }
}

TEST(ShownWeights, ATextOfOneTokenHasNothingLeftToShowWithoutIt) {
  Request request = grouped_request();
  request.phrase = "one";
  request.hide_tokens = HideTokens::first;
  const auto trace = run(request);
  EXPECT_THROW(shown_trace(*trace), UsageError);
  EXPECT_EQ(shown_trace(*trace, HiddenColumns::zero).tensor(StageId::weights).at({0, 0, 0, 0}), 0);
}

// ---- a model that reads pieces

TEST(ShownWeights, AllLayersOfAModelAreShownByItsWords) {
  Request request;
  request.model = "demo:pronouns";
  request.phrase = "the animal did not cross the street because it was too tired";
  EngineOptions options;
  options.whole_model = true;
  const auto plain = run(request, options);
  request.groups = GroupBy::words;
  request.hide_tokens = HideTokens::special;
  request.renormalise = true;
  const auto trace = run(request, options);
  const Trace shown = shown_trace(*trace);
  ASSERT_NE(shown.model, nullptr);
  for (std::size_t l = 0; l < shown.model->layers.size(); ++l) {
    const Trace& layer = *shown.model->layers[l];
    EXPECT_EQ(layer.stages.size(), 1u);
    EXPECT_EQ(layer.query_labels(), shown.query_labels());
    EXPECT_EQ(layer.mask->hidden.key_len(), std::ssize(layer.key_labels()));
    const Tensor& weights = layer.tensor(StageId::weights);
    for (std::int64_t i = 0; i < weights.dim(2); ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < weights.dim(3); ++j) sum += static_cast<double>(weights.at({0, 0, i, j}));
      EXPECT_TRUE(std::abs(sum - 1) <= 1e-6 || sum == 0) << l << ", " << i << ": " << sum;
    }
  }
  EXPECT_EQ(plain->tensor(StageId::weights).values(), trace->tensor(StageId::weights).values());
}

TEST(ShownWeights, MetricsKeepThePlacesOfHiddenTokens) {
  Request request = grouped_request();
  request.mask.clear();
  const auto plain = run(request);
  request.hide_tokens = HideTokens::first;
  const auto trace = run(request);
  const Trace measured = shown_trace(*trace, HiddenColumns::zero);
  const HeadMetrics before = head_metrics(*plain, 0, 1), now = head_metrics(measured, 0, 1);
  EXPECT_EQ(now[HeadMetric::first_token].value, 0);
  EXPECT_TRUE(now[HeadMetric::next_token].value == before[HeadMetric::next_token].value) << "no column of it is hidden";
  const Tensor& weights = trace->tensor(StageId::weights);
  double expected = 0;
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 1; j < 6; ++j) {
      expected += static_cast<double>(weights.at({0, 1, i, j})) * std::abs(static_cast<double>(i - j)) / 6;
    }
  }
  EXPECT_TRUE(std::abs(now[HeadMetric::mean_distance].value - expected) <= 1e-6);
}

TEST(ShownWeights, FullyMaskedRowsKeepTheirNumbers) {
  Request request = grouped_request();
  request.mask = {{MaskTerm::Kind::padding, 6, ""}};
  request.hide_tokens = HideTokens::first;
  request.renormalise = true;
  request.top_p = 0.5;
  const Trace shown = shown_trace(*run(request));
  EXPECT_EQ(shown.fully_masked_rows, 2 * 4 * 6);
  EXPECT_EQ(shown.fully_masked_queries.size(), 6u);
  for (const float value : shown.tensor(StageId::weights).values()) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace headscope
