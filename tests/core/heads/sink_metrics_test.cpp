// Metrics of heads that have a learned sink, against plain sums in double over their scores and sinks.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/heads/head_row_values.h"
#include "core/heads/head_words.h"
#include "core/heads/model_metrics.h"
#include "core/heads/shown_weights.h"
#include "core/heads/sink_shares.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

constexpr std::int64_t kTokens = 12;

Request request_of() {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt_oss";
  request.token_ids = {3, 14, 15, 9, 3, 14, 2, 6, 3, 14, 15, 1};
  return request;
}

std::shared_ptr<const Trace> metrics_run(const Request& request) {
  EngineOptions options;
  options.whole_model = true;
  Engine engine(options);
  return engine.run(request, CancelToken());
}

// Of a causal layer: the weights of the keys that row i sees (from `first` on), and last what the sink takes.
struct PlainRow {
  std::int64_t first = 0;
  std::vector<double> w;
  double at(std::int64_t j) const {
    return j < first || j >= first + std::ssize(w) - 1 ? 0 : w[static_cast<std::size_t>(j - first)];
  }
};

PlainRow plain_row(const Trace& layer, std::int64_t h, std::int64_t i) {
  const Tensor& scores = layer.tensor(StageId::masked_scores);
  PlainRow row;
  while (!std::isfinite(scores.at({0, h, i, row.first}))) ++row.first;
  double sum = 0;
  for (std::int64_t j = row.first; j <= i; ++j) {
    row.w.push_back(std::exp(static_cast<double>(scores.at({0, h, i, j}))));
  }
  row.w.push_back(std::exp(static_cast<double>(layer.inputs->weights.sinks.at({h}))));
  for (const double power : row.w) sum += power;
  for (double& w : row.w) w /= sum;
  return row;
}

struct PlainMean {
  double sum = 0;
  std::int64_t rows = 0;
  void add(double value) {
    sum += value;
    ++rows;
  }
};
using PlainMetrics = std::array<PlainMean, kHeadMetrics>;

void add_row(const PlainRow& row, std::int64_t i, const std::vector<std::int64_t>& ids, PlainMetrics& metrics) {
  const auto of = [&](HeadMetric metric) -> PlainMean& { return metrics[static_cast<std::size_t>(metric)]; };
  double entropy = 0, distance = 0, keys = 0, near = 0, behind = 0;
  bool stood = false;
  for (const double w : row.w) entropy -= w * std::log2(w);
  for (std::int64_t j = 0; j <= i; ++j) {
    keys += row.at(j);
    distance += row.at(j) * static_cast<double>(i - j);
    if (i - j <= 2) near += row.at(j);
    if (j + 1 < i && ids[static_cast<std::size_t>(j)] == ids[static_cast<std::size_t>(i)]) {
      stood = true;
      behind += row.at(j + 1);
    }
  }
  const std::int64_t outcomes = std::ssize(row.w);
  of(HeadMetric::entropy).add(entropy);
  if (outcomes >= 3) of(HeadMetric::mean_distance).add(distance / keys);
  of(HeadMetric::self).add(row.at(i));
  if (i >= 1) of(HeadMetric::previous_token).add(row.at(i - 1));
  if (i >= 1) of(HeadMetric::first_token).add(row.at(0));
  if (i + 1 < kTokens) of(HeadMetric::next_token).add(0);
  if (stood) of(HeadMetric::induction).add(behind);
  if (outcomes - 1 >= 8) of(HeadMetric::local).add(near);
  if (outcomes - 1 >= 4) of(HeadMetric::uniform).add(entropy / std::log2(static_cast<double>(outcomes)));
}

TEST(SinkMetrics, AreThoseOfTheWholeDistribution) {
  const Request request = request_of();
  const auto trace = metrics_run(request);
  const std::vector<HeadMetricsRow> rows = metrics_of_all_heads(*trace);
  ASSERT_EQ(rows.size(), 8u);
  for (const HeadMetricsRow& found : rows) {
    const Trace& layer = *trace->model->layers[static_cast<std::size_t>(found.layer)];
    PlainMetrics expected;
    for (std::int64_t i = 0; i < kTokens; ++i) {
      add_row(plain_row(layer, found.head, i), i, request.token_ids, expected);
    }
    for (const HeadMetric metric : all_head_metrics()) {
      const PlainMean& mean = expected[static_cast<std::size_t>(metric)];
      const MetricValue& value = found.metrics[metric];
      EXPECT_EQ(value.rows, mean.rows) << metric_key(metric);
      if (mean.rows == 0) continue;
      EXPECT_TRUE(std::abs(value.value - mean.sum / static_cast<double>(mean.rows)) <= 2e-6)
          << found.layer << "." << found.head << " " << metric_key(metric) << ": " << value.value;
    }
  }
}

Trace metrics_trace_of(const std::vector<std::string>& tokens) {
  auto inputs = std::make_shared<Inputs>();
  inputs->query_len = inputs->key_len = std::ssize(tokens);
  inputs->tokens = inputs->key_tokens = tokens;
  Trace trace;
  trace.inputs = inputs;
  return trace;
}

TEST(SinkMetrics, ARowOfOneKeyHasAChoiceBesideASink) {
  const Trace trace = metrics_trace_of({"a", "b"});
  const HeadRowValues row = head_row_values(1, std::vector<float>{0, 0.25F}, 1, TokenPlaces(trace), 0.75);
  EXPECT_TRUE(row.has_choice);
  EXPECT_EQ(row[HeadMetric::self], 0.25);
  EXPECT_FALSE(row.has(HeadMetric::mean_distance)) << "nothing to choose among the keys";
  const double bits = -0.25 * std::log2(0.25) - 0.75 * std::log2(0.75);
  EXPECT_TRUE(std::abs(row[HeadMetric::entropy] - bits) <= 1e-6) << row[HeadMetric::entropy];
}

TEST(SinkMetrics, ARowWhoseSinkTakesAllHasNoDistance) {
  const Trace trace = metrics_trace_of({"a", "b"});
  const HeadRowValues row = head_row_values(1, std::vector<float>{0, 0}, 2, TokenPlaces(trace), 1.0);
  EXPECT_FALSE(row.has(HeadMetric::mean_distance));
  EXPECT_EQ(row[HeadMetric::entropy], 0);
  EXPECT_EQ(row[HeadMetric::first_token], 0);
  EXPECT_FALSE(head_row_values(1, std::vector<float>{0, 0}, 0, TokenPlaces(trace), 1.0).has_choice);
  EXPECT_TRUE(head_row_values(1, std::vector<float>{0, 1}, 2, TokenPlaces(trace), NAN).has_nan);
}

TEST(SinkMetrics, AHeadThatIsHeldHasNoSink) {
  Request request = request_of();
  find_request_option("freeze")->set(request, "1.2=uniform");
  const auto trace = metrics_run(request);
  const Trace& layer = *trace->model->layers[1];
  EXPECT_EQ(SinkShares(layer, 0, 2).of(3), std::nullopt);
  EXPECT_TRUE(SinkShares(layer, 0, 1).of(3) > 0.0);
  EXPECT_TRUE(std::abs(head_metrics(layer, 0, 2)[HeadMetric::uniform].value - 1) <= 1e-6);
}

// Shown rows that sum to 1 again have no sink; those of merged pieces have the mean of their sinks' shares.
TEST(SinkMetrics, WeightsAsTheyAreShownHaveTheirSinksToo) {
  Request request = request_of();
  request.hide_tokens = HideTokens::first;
  const auto trace = metrics_run(request);
  const Trace shown = shown_trace(*trace, HiddenColumns::zero);
  const Trace &computed = *trace->model->layers[1], &layer = *shown.model->layers[1];
  for (std::int64_t i = 0; i < kTokens; ++i) EXPECT_EQ(SinkShares(layer, 0, 1).of(i), SinkShares(computed, 0, 1).of(i));
  const PlainRow plain = plain_row(computed, 1, 2);
  const double near = plain.at(1), own = plain.at(2);
  const HeadRowValues row = head_row_values(2, layer.tensor(StageId::weights).sliced(1, 1, 2).sliced(2, 2, 3).values(),
                                            2, TokenPlaces(layer), SinkShares(layer, 0, 1).of(2));
  EXPECT_TRUE(std::abs(row[HeadMetric::mean_distance] - near / (near + own)) <= 1e-6);
  request.renormalise = true;
  const Trace whole = shown_trace(*metrics_run(request), HiddenColumns::zero);
  EXPECT_EQ(whole.model->layers[1]->find(StageId::sink_weights), nullptr);
}

TEST(SinkMetrics, WordsSayWhatTheSinkTakes) {
  const auto trace = metrics_run(request_of());
  const Trace& layer = *trace->model->layers[0];
  const HeadWords words = head_words(layer, 0, 1);
  const PlainRow plain = plain_row(layer, 1, 0);
  double bits = 0;
  for (const double w : plain.w) bits -= w * std::log2(w);
  char expected[80];
  std::snprintf(expected, sizeof expected, "; its sink takes %.2f; entropy %.2f bit", plain.w.back(), bits);
  EXPECT_TRUE(words.rows[0].ends_with(expected)) << words.rows[0] << ", expected " << expected;
}

}  // namespace
}  // namespace headscope
