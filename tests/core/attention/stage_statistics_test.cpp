#include "core/attention/stage_statistics.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/error.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> trace_of(const std::string& mask, std::int64_t memory_limit) {
  Request request = phrase_request();
  find_request_option("mask")->set(request, mask);
  ForwardOptions options;
  options.stage_memory = memory_limit;
  return forward(request, std::make_shared<const Inputs>(fused_inputs(QkvLayout::per_head)), make_cpu_backend(2),
                 CancelToken(), options);
}

// nan equals nan.
bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

TEST(StageStatistics, AreThoseOfEachStageKeptOrComputedWhenRead) {
  for (const char* mask : {"none", "causal", "padding:9"}) {
    const auto kept = trace_of(mask, kDefaultStageMemory);
    const auto computed = trace_of(mask, 0);
    ASSERT_NE(computed->on_demand, nullptr);
    const auto of_kept = stage_statistics(*kept), of_computed = stage_statistics(*computed);
    ASSERT_EQ(of_kept.size(), kept->stages.size());
    ASSERT_EQ(of_computed.size(), kept->stages.size());
    for (std::size_t k = 0; k < of_kept.size(); ++k) {
      const Statistics alone = statistics_of(kept->stages[k].tensor);
      for (const Statistics& found : {of_kept[k].value(), of_computed[k].value()}) {
        SCOPED_TRACE(std::string(stage_name(kept->stages[k].id)) + ", " + mask);
        EXPECT_EQ(found.count, alone.count);
        EXPECT_EQ(found.nan_count, alone.nan_count);
        EXPECT_EQ(found.inf_count, alone.inf_count);
        EXPECT_TRUE(same(found.min, alone.min));
        EXPECT_TRUE(same(found.max, alone.max));
        EXPECT_TRUE(same(found.mean, alone.mean));
        EXPECT_TRUE(same(found.std, alone.std));
        EXPECT_TRUE(same(found.l2_norm, alone.l2_norm));
      }
    }
  }
}

TEST(StageStatistics, OnlyWhatIsComputedWhenReadIsCostly) {
  const auto kept = trace_of("causal", kDefaultStageMemory);
  const auto computed = trace_of("causal", 0);
  for (const Stage& stage : kept->stages) EXPECT_FALSE(costly_numbers(*kept, stage)) << stage_name(stage.id);
  for (const Stage& stage : computed->stages) {
    EXPECT_EQ(costly_numbers(*computed, stage), stage.id >= StageId::raw_scores) << stage_name(stage.id);
  }
}

TEST(StageStatistics, EqualStagesAreReadOnceAndProgressEndsAtOne) {
  const auto masked = trace_of("causal", 0);
  const auto plain = trace_of("none", 0);  // masked_scores = scores
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
  const auto trace = trace_of("causal", 0);
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
  const auto trace = trace_of("causal", 0);
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
