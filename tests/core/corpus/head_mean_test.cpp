#include "core/corpus/head_mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

std::size_t named(const char* key) {
  const auto mean = head_mean_named(key);
  EXPECT_TRUE(mean.has_value()) << key;
  return mean.value_or(0);
}

TEST(HeadMean, TheMetricsComeFirstAndEveryNameIsThereOnce) {
  std::set<std::string> names;
  for (std::size_t mean = 0; mean < all_head_means().size(); ++mean) {
    const HeadMean& each = all_head_means()[mean];
    EXPECT_TRUE(names.insert(each.key).second) << each.key;
    EXPECT_EQ(head_mean_named(each.key), mean);
    EXPECT_EQ(each.metric.has_value(), mean < kCorpusMetrics);
    if (each.metric) {
      EXPECT_EQ(each.key, corpus_metric_key(*each.metric));
    }
  }
  EXPECT_EQ(names.size(), kCorpusMetrics + kRepeatedMetrics.size() + 1);
  EXPECT_EQ(head_mean_named("repeated_entropy"), std::nullopt);
}

TEST(HeadMean, IsWhatTheRecordHolds) {
  CorpusRecord record = test::empty_record(2, 40);
  for (std::int64_t index = 0; index < 40; ++index) test::add_made_phrase(record, index);
  for (const HeadRecord& head : record.heads) {
    EXPECT_EQ(head_mean(record, head, named("entropy")), head.mean(CorpusMetric::entropy));
    EXPECT_EQ(head_mean(record, head, named("repeated_induction")), head.repeated.mean(3));
    EXPECT_EQ(head_mean(record, head, named("loss_ablated")),
              head.ablated_loss.value() / static_cast<double>(record.loss_tokens));
  }
}

TEST(HeadMean, WhatNoScanAskedForIsNotHeld) {
  CorpusRecord record = test::empty_record(1, 3);
  EXPECT_TRUE(holds(record, named("repeated_previous")));
  EXPECT_TRUE(holds(record, named("loss_ablated")));
  EXPECT_TRUE(std::isnan(head_mean(record, record.heads[0], named("loss_ablated")))) << "over no token";
  record.facts.repeated = record.facts.ablation_sample = 0;
  for (std::size_t mean = 0; mean < all_head_means().size(); ++mean) {
    EXPECT_EQ(holds(record, mean), mean < kCorpusMetrics);
    if (mean >= kCorpusMetrics) {
      EXPECT_TRUE(std::isnan(head_mean(record, record.heads[0], mean)));
    }
  }
}

}  // namespace
}  // namespace headscope
