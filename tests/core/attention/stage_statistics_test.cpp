#include "core/attention/stage_statistics.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/attention/on_demand.h"
#include "core/base/error.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

using Options = std::vector<std::pair<const char*, std::string>>;

std::shared_ptr<const Trace> statistics_trace_of(const Options& options, std::int64_t memory_limit,
                                                 const FusedSizes& sizes = {},
                                                 const std::shared_ptr<const Backend>& backend = make_cpu_backend(2)) {
  Request request = phrase_request();
  for (const auto& [name, value] : options) find_request_option(name)->set(request, value);
  ForwardOptions forward_options;
  forward_options.stage_memory = memory_limit;
  return forward(request, std::make_shared<const Inputs>(fused_inputs(QkvLayout::per_head, sizes)), backend,
                 CancelToken(), forward_options);
}

std::shared_ptr<const Trace> statistics_trace_of(const char* mask, std::int64_t memory_limit) {
  return statistics_trace_of(Options{{"mask", mask}}, memory_limit);
}

// nan equals nan.
bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

void expect_same(const Statistics& found, const Statistics& wanted) {
  EXPECT_EQ(found.count, wanted.count);
  EXPECT_EQ(found.nan_count, wanted.nan_count);
  EXPECT_EQ(found.inf_count, wanted.inf_count);
  EXPECT_TRUE(same(found.min, wanted.min));
  EXPECT_TRUE(same(found.max, wanted.max));
  EXPECT_TRUE(same(found.mean, wanted.mean));
  EXPECT_TRUE(same(found.std, wanted.std));
  EXPECT_TRUE(same(found.l2_norm, wanted.l2_norm));
}

// Of stages kept and computed when read, against each stage alone.
void expect_those_of_each_stage(const Trace& kept, const Trace& computed) {
  ASSERT_NE(computed.on_demand, nullptr);
  const auto of_kept = stage_statistics(kept), of_computed = stage_statistics(computed);
  ASSERT_EQ(of_kept.size(), kept.stages.size());
  ASSERT_EQ(of_computed.size(), kept.stages.size());
  for (std::size_t k = 0; k < of_kept.size(); ++k) {
    SCOPED_TRACE(stage_name(kept.stages[k].id));
    const Statistics alone = statistics_of(kept.stages[k].tensor);
    expect_same(of_kept[k].value(), alone);
    expect_same(of_computed[k].value(), alone);
  }
}

TEST(StageStatistics, AreThoseOfEachStageKeptOrComputedWhenRead) {
  for (const char* mask : {"none", "causal", "padding:9"}) {
    SCOPED_TRACE(mask);
    expect_those_of_each_stage(*statistics_trace_of(mask, kDefaultStageMemory), *statistics_trace_of(mask, 0));
  }
}

// Rows of 70 and 131 cells lie across the blocks in which statistics are summed.
TEST(StageStatistics, AreThoseOfEachStageWhateverTheRuleTheBackendAndTheSize) {
  const std::vector<Options> rules = {
      {},
      {{"mask", "causal"}, {"dropout", "0.3"}},
      {{"softcap", "0.7"}, {"mask", "causal"}},
      {{"mask", "window:2"}, {"mask-order", "before-scale"}, {"mask-fill", "-1e20"}},
      {{"mask", "window:1"}, {"mask-fill", "-2.5"}, {"ablate", "0.1"}},
      {{"mask", "padding:999"}},
      {{"mask", "padding:999"}, {"fully-masked", "uniform"}},
      {{"mask", "causal"}, {"variant", "mask-after-softmax"}},
      {{"mask", "causal"}, {"edit", "weights:0,1,3,2=0.5"}},
      {{"edit", "raw_scores:0,0,3,4=2"}, {"mask", "causal"}},
  };
  for (const std::int64_t len : {5, 70, 131}) {
    FusedSizes sizes;
    sizes.len = len;
    for (const auto& backend : {make_cpu_backend(3), make_reference_backend()}) {
      for (const Options& options : rules) {
        SCOPED_TRACE(testing::Message() << backend->name() << ", " << len << " tokens, rule "
                                        << &options - rules.data());
        expect_those_of_each_stage(*statistics_trace_of(options, kDefaultStageMemory, sizes, backend),
                                   *statistics_trace_of(options, 0, sizes, backend));
      }
    }
  }
}

// The cpu backend, with a count of the reads of cells that are computed again.
class CountingBackend : public Backend {
 public:
  std::string_view name() const override { return own_->name(); }
  std::string description() const override { return own_->description(); }
  Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, const CancelToken& cancel) const override {
    return own_->linear(x, weight, bias, cancel);
  }
  Tensor query_key_products(const Tensor& query, const Tensor& key, const Region& region,
                            const CancelToken& cancel) const override {
    return own_->query_key_products(query, key, region, cancel);
  }
  Tensor softmax_rows(const Tensor& scores, RowStatistics* statistics, const CancelToken& cancel) const override {
    return own_->softmax_rows(scores, statistics, cancel);
  }
  Tensor weighted_values(const Tensor& weights, const Tensor& value, const HiddenCells& hidden,
                         const CancelToken& cancel) const override {
    return own_->weighted_values(weights, value, hidden, cancel);
  }
  void attention(const ScoreOperands& of, const Tensor& value, const QueryRange& part, AttentionResults& to,
                 const CancelToken& cancel) const override {
    ++passes;
    own_->attention(of, value, part, to, cancel);
  }
  void attention_with_rows(const ScoreOperands& of, const Tensor& value, const QueryRange& part, const StageRows& rows,
                           AttentionResults& to, const CancelToken& cancel) const override {
    ++passes;
    own_->attention_with_rows(of, value, part, rows, to, cancel);
  }
  void read_scores(const ScoreOperands& of, const ScoreCells& cells, std::span<float> out,
                   const CancelToken& cancel) const override {
    ++reads;
    own_->read_scores(of, cells, out, cancel);
  }
  mutable int passes = 0, reads = 0;

 private:
  std::shared_ptr<const Backend> own_ = make_cpu_backend(2);
};

TEST(StageStatistics, ScoresWeightsAndContextComeFromOnePassOfEachHead) {
  const auto backend = std::make_shared<const CountingBackend>();
  const auto computed = statistics_trace_of(Options{{"mask", "causal"}, {"softcap", "2"}}, 0, {}, backend);
  ASSERT_EQ(backend->passes, 0);
  stage_statistics(*computed);
  EXPECT_EQ(backend->passes, 4);  // two of the batch, two heads
  EXPECT_EQ(backend->reads, 0);
}

TEST(StageStatistics, OnlyWhatIsComputedWhenReadIsCostly) {
  const auto kept = statistics_trace_of("causal", kDefaultStageMemory);
  const auto computed = statistics_trace_of("causal", 0);
  for (const Stage& stage : kept->stages) EXPECT_FALSE(costly_numbers(*kept, stage)) << stage_name(stage.id);
  for (const Stage& stage : computed->stages) {
    EXPECT_EQ(costly_numbers(*computed, stage), stage.id >= StageId::raw_scores) << stage_name(stage.id);
  }
}

TEST(StageStatistics, EqualStagesAreReadOnceAndProgressEndsAtOne) {
  const auto masked = statistics_trace_of("causal", 0);
  const auto plain = statistics_trace_of("none", 0);  // masked_scores = scores
  const std::int64_t scores = plain->tensor(StageId::scores).size();
  EXPECT_EQ(values_of_statistics(*masked) - values_of_statistics(*plain), scores);
  std::vector<double> shares;
  stage_statistics(*masked, {}, [&](double share) { shares.push_back(share); });
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GT(shares.front(), 0);
  EXPECT_EQ(shares.back(), 1);
}

TEST(StageStatistics, WhatIsKnownOrNotWishedForIsNotRead) {
  const auto trace = statistics_trace_of("causal", 0);
  Statistics known;
  known.max = 7;
  const StatisticsQuery query{{{StageId::weights, known}}, false};
  const auto found = stage_statistics(*trace, query);
  std::int64_t read = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Stage& stage = trace->stages[k];
    const bool is_known = stage.id == StageId::weights;
    EXPECT_EQ(found[k].has_value(), is_known || stage.id < StageId::raw_scores) << stage_name(stage.id);
    if (is_known) {
      EXPECT_EQ(found[k].value_or(Statistics()).max, 7);
    }
    if (stage.tensor.stored()) read += stage.tensor.size();
  }
  EXPECT_EQ(values_of_statistics(*trace, query), read);
}

TEST(StageStatistics, CanBeCancelled) {
  const auto trace = statistics_trace_of("causal", 0);
  CancelToken cancel;
  int reports = 0;
  const auto report = [&](double) {
    if (++reports == 3) cancel.cancel();
  };
  EXPECT_THROW(stage_statistics(*trace, {}, report, cancel), Cancelled);
  EXPECT_EQ(reports, 3);
}

}  // namespace
}  // namespace headscope
