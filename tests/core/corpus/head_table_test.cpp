#include "core/corpus/head_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

// A head whose entropy and distance have one row each, of these values.
HeadRecord head_of(std::int64_t layer, std::int64_t head, double entropy, double distance) {
  HeadRecord record(layer, head);
  CorpusRow row;
  row.values[0] = entropy;
  row.values[1] = distance;
  row.defined[0] = std::isfinite(entropy);
  row.defined[1] = std::isfinite(distance);
  record.add(row);
  return record;
}

CorpusRecord small_record() {
  CorpusRecord record = test::empty_record(0, 1);
  record.heads = {head_of(0, 0, 1, 10), head_of(0, 1, 2, 20), head_of(0, 4, 3, 30), head_of(2, 1, 4, NAN)};
  return record;
}

TEST(HeadTable, HasTheMeansTheirRangesAndTheGrid) {
  const CorpusRecord record = small_record();
  const HeadTable table = head_table(record);
  EXPECT_EQ(table.layers, (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(table.numbers, (std::vector<std::int64_t>{0, 1, 4}));
  EXPECT_EQ(table.heads[3], (HeadTable::Head{2, 1, 1, 1}));
  for (std::size_t k = 0; k < record.heads.size(); ++k) {
    for (const CorpusMetric metric : all_corpus_metrics()) {
      const double mean = record.heads[k].mean(metric);
      EXPECT_TRUE(table.mean(metric, k) == mean || (std::isnan(mean) && std::isnan(table.mean(metric, k))));
    }
  }
  EXPECT_EQ(table.ranges[0].low, 1);
  EXPECT_EQ(table.ranges[0].high, 4);
  EXPECT_EQ(table.ranges[1].undefined, 1);
  EXPECT_EQ(table.ranges[1].high, 30);
  EXPECT_EQ(table.ranges[2].undefined, 4) << "no row has a previous token";
  EXPECT_EQ(table.rank(CorpusMetric::entropy, 3), 1);
  EXPECT_EQ(table.rank(CorpusMetric::entropy, 0), 4);
  EXPECT_EQ(table.rank(CorpusMetric::distance, 3), 0);
}

TEST(HeadTable, HasTheMeansThatAreNoMetricsWhereTheScanAskedForThem) {
  CorpusRecord record = test::empty_record(3, 20);
  for (std::int64_t index = 0; index < 20; ++index) test::add_made_phrase(record, index);
  const HeadTable table = head_table(record);
  const std::size_t loss = head_mean_named("loss_ablated").value();
  EXPECT_TRUE(table.held[loss]);
  for (std::size_t head = 0; head < record.heads.size(); ++head) {
    EXPECT_EQ(table.mean(loss, head), head_mean(record, record.heads[head], loss));
    EXPECT_TRUE(table.ranges[loss].low <= table.mean(loss, head) && table.mean(loss, head) <= table.ranges[loss].high);
    EXPECT_EQ(table.rank(loss, head) == 1, table.mean(loss, head) == table.ranges[loss].high);
  }
  // What else a scan asked for does not change which heads are alike.
  EXPECT_EQ(table.standardised.size(), record.heads.size() * kCorpusMetrics);
  record.facts.repeated = record.facts.ablation_sample = 0;
  const HeadTable without = head_table(record);
  EXPECT_FALSE(without.held[loss]);
  EXPECT_EQ(without.ranges[loss].undefined, 6);
  EXPECT_EQ(without.standardised, table.standardised);
}

TEST(HeadTable, StandardisesOverTheHeadsThatHaveTheMetric) {
  const HeadTable table = head_table(small_record());
  const double spread = std::sqrt(1.25);  // of 1, 2, 3, 4
  EXPECT_NEAR(table.standardised[0], -1.5 / spread, 1e-6);
  EXPECT_NEAR(table.standardised[3 * kCorpusMetrics], 1.5 / spread, 1e-6);
  const double of_three = std::sqrt(200.0 / 3);  // of 10, 20, 30
  EXPECT_NEAR(table.standardised[1], -10 / of_three, 1e-6);
  EXPECT_EQ(table.standardised[3 * kCorpusMetrics + 1], 0) << "it has none";
  EXPECT_EQ(table.standardised[2], 0) << "nobody has it";
}

TEST(HeadTable, FindsHeadsAndTheirNeighbours) {
  const HeadTable table = head_table(small_record());
  EXPECT_EQ(table.find(0, 4), 2U);
  EXPECT_EQ(table.find(2, 1), 3U);
  EXPECT_EQ(table.find(1, 0), std::nullopt);
  EXPECT_EQ(table.beside(0, 0, 1), 1U);
  EXPECT_EQ(table.beside(2, 0, 1), 2U) << "the last of its layer";
  EXPECT_EQ(table.beside(2, 1, 0), 3U) << "the only one of its layer";
  EXPECT_EQ(table.beside(3, -1, 0), 1U) << "the same column";
  EXPECT_EQ(table.beside(0, -1, 0), 0U);
}

TEST(HeadTable, HeadsLikeOneAreSortedByTheirCosine) {
  const HeadTable table = head_table(test::made_record(6, 40, {0, 40}));
  const std::vector<SimilarHead> alike = heads_like(table, 3, 5);
  ASSERT_EQ(alike.size(), 5U);
  const auto cosine = [&](std::size_t a, std::size_t b) {
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t k = 0; k < kCorpusMetrics; ++k) {
      const double x = table.standardised[a * kCorpusMetrics + k], y = table.standardised[b * kCorpusMetrics + k];
      ab += x * y, aa += x * x, bb += y * y;
    }
    return ab / std::sqrt(aa * bb);
  };
  for (std::size_t k = 0; k < alike.size(); ++k) {
    EXPECT_NE(alike[k].head, 3U);
    EXPECT_NEAR(alike[k].cosine, cosine(3, alike[k].head), 1e-9);
    if (k > 0) {
      EXPECT_GE(alike[k - 1].cosine, alike[k].cosine);
    }
  }
  EXPECT_EQ(heads_like(table, 3, 100).size(), 11U);
  EXPECT_TRUE(heads_like(head_table(small_record()), 0, 0).empty());
}

TEST(HeadTable, HeadsLikeOneByPatternAreSortedByTheCosineOfCentredPatterns) {
  const CorpusRecord record = test::made_record(6, 40, {0, 40});
  const HeadTable table = head_table(record);
  const std::vector<SimilarHead> alike = heads_like(table, 3, 5, AlikeBy::pattern);
  ASSERT_EQ(alike.size(), 5U);
  // Rows of at most five keys leave eighths without any: they count as 0.
  const auto part = [&](std::size_t head, std::size_t cell) {
    const double mean = record.heads[head].pattern.mean(cell / 8, cell % 8);
    return std::isnan(mean) ? 0 : mean;
  };
  std::array<double, 64> middle{};
  for (std::size_t head = 0; head < 12; ++head) {
    for (std::size_t k = 0; k < 64; ++k) middle[k] += part(head, k) / 12;
  }
  for (std::size_t k = 0; k < alike.size(); ++k) {
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t cell = 0; cell < 64; ++cell) {
      const double x = part(3, cell) - middle[cell];
      const double y = part(alike[k].head, cell) - middle[cell];
      ab += x * y, aa += x * x, bb += y * y;
    }
    EXPECT_NE(alike[k].head, 3U);
    EXPECT_NEAR(alike[k].cosine, ab / std::sqrt(aa * bb), 1e-6);
    if (k > 0) {
      EXPECT_GE(alike[k - 1].cosine, alike[k].cosine);
    }
  }
  EXPECT_NE(alike, heads_like(table, 3, 5));
}

TEST(HeadTable, SharesOfBinsAddUpToOneAndAreAveraged) {
  const CorpusRecord record = small_record();
  const std::vector<double> shares = bin_shares(record.heads[1], CorpusMetric::entropy);
  ASSERT_EQ(shares.size(), histogram_edges(CorpusMetric::entropy).size() - 1);
  EXPECT_EQ(shares[8], 1) << "2 bits, in quarters";
  const HeadTable table = head_table(record);
  EXPECT_EQ(table.mean_shares[0][8], 0.25);
  EXPECT_TRUE(table.mean_shares[2].empty()) << "previous has no histogram";
}

TEST(HeadTable, MetricsAreFoundByTheirNames) {
  for (const CorpusMetric metric : all_corpus_metrics()) {
    EXPECT_EQ(head_mean_named(corpus_metric_key(metric)), static_cast<std::size_t>(metric));
  }
  EXPECT_EQ(head_mean_named("Entropy"), std::nullopt);
}

}  // namespace
}  // namespace headscope
