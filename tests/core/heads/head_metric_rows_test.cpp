// Metrics from rows that a pass hands out are those of weights that are read, to the last bit.
#include "core/heads/head_metric_rows.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "core/attention/engine.h"
#include "core/attention/weight_rows.h"
#include "core/base/error.h"
#include "core/heads/head_metric_values.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> run(Request request, std::int64_t stage_memory) {
  EngineOptions options;
  options.stage_memory = stage_memory;
  request.threads = 3;
  Engine engine(options);
  return engine.run(request, CancelToken());
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

void expect_same(const HeadMetrics& found, const HeadMetrics& wanted, const std::string& what) {
  for (const HeadMetric metric : all_head_metrics()) {
    EXPECT_TRUE(same_bits(found[metric].value, wanted[metric].value)) << what << " " << metric_key(metric);
    EXPECT_EQ(found[metric].rows, wanted[metric].rows) << what << " " << metric_key(metric);
  }
  EXPECT_EQ(found.arc_query, wanted.arc_query) << what;
  EXPECT_EQ(found.arc_key, wanted.arc_key) << what;
  EXPECT_TRUE(same_bits(found.arc_weight, wanted.arc_weight)) << what;
}

// All heads of a request whose weights are computed when they are read.
void expect_same_as_read(const Request& request, const std::string& what) {
  const auto stored = run(request, kDefaultStageMemory), computed = run(request, 0);
  ASSERT_TRUE(stored->tensor(StageId::weights).stored());
  const TokenPlaces places(*computed);
  for (std::int64_t h = 0; h < computed->num_heads(); ++h) {
    const WeightRows rows = weight_rows_of(*computed, 0, h);
    ASSERT_NE(rows, nullptr) << what;
    HeadMetricRows metrics(*computed, 0, h, places);
    const auto add = [&](const WeightRow& row) { metrics.add(row); };
    ASSERT_TRUE(rows({0, computed->query_len()}, add, CancelToken())) << what;
    const HeadMetrics wanted = head_metrics(*stored, 0, h);
    expect_same(metrics.metrics(), wanted, what + ", head " + std::to_string(h));
    expect_same(head_metrics(*computed, 0, h), wanted, what + ", all at once");
  }
}

TEST(HeadMetricRows, AreTheMetricsOfWeightsThatAreReadUnderEveryMask) {
  for (const int tokens : {1, 2, 33, 150}) {
    for (const char* mask : {"none", "causal", "window:5", "causal,window:9", "prefix:7", "causal,padding:1"}) {
      expect_same_as_read(small_request(tokens, {{"mask", mask}}), mask);
    }
  }
}

TEST(HeadMetricRows, RowsOfNanCountNowhere) {
  expect_same_as_read(small_request(40, {{"mask", "padding:40"}}), "no row sees a key");
  expect_same_as_read(small_request(40, {{"mask", "padding:38,causal"}}), "two keys are seen");
}

TEST(HeadMetricRows, SinksAreOneOutcomeMore) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt_oss";
  request.token_ids = {3, 14, 15, 9, 3, 14, 2, 6, 3, 14, 15, 1};
  expect_same_as_read(request, "sinks");
}

TEST(HeadMetricRows, ThereAreNoneWhereWeightsAreStoredOrShownOtherwise) {
  const Request request = small_request(20, {{"mask", "causal"}});
  EXPECT_EQ(weight_rows_of(*run(request, kDefaultStageMemory), 0, 0), nullptr);
  Request reference = request;
  reference.backend = BackendChoice::reference;
  const auto computed = run(reference, 0);
  const WeightRows rows = weight_rows_of(*computed, 0, 0);
  ASSERT_NE(rows, nullptr);
  EXPECT_FALSE(rows(
      {0, 20}, [](const WeightRow&) { FAIL() << "the reference has no pass"; }, CancelToken()));
  expect_same(head_metrics(*computed, 0, 1), head_metrics(*run(reference, kDefaultStageMemory), 0, 1), "reference");
}

TEST(HeadMetricRows, EndWhenTheyAreCancelled) {
  const auto computed = run(small_request(40), 0);
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(head_metrics(*computed, 0, 0, TokenPlaces(*computed), cancel), Cancelled);
}

}  // namespace
}  // namespace headscope
