#include "core/headvis/headvis_of_corpus.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

TEST(HeadVisOfCorpus, RowsAreTheMeansOfTheScan) {
  const CorpusRecord record = test::made_record(2, 30, {5, 20});
  const HeadVisTree tree = headvis_tree_of(record, false);
  ASSERT_EQ(headvis_metrics().size(), kCorpusMetrics);
  ASSERT_EQ(tree.values.size(), record.heads.size());
  for (std::size_t k = 0; k < kCorpusMetrics; ++k) {
    EXPECT_EQ(tree.config.metrics[k], headvis_metrics()[k].name);
    EXPECT_EQ(tree.values[2][k], record.heads[2].mean(headvis_metrics()[k].metric));
  }
  EXPECT_EQ(tree.config.layers, 2);
  EXPECT_EQ(tree.config.heads_each, 2);
  EXPECT_EQ(tree.config.facts.at("scanned"), "5:20");
}

TEST(HeadVisOfCorpus, DistancesAndTokensAreThoseOfTheSequences) {
  const CorpusRecord record = test::made_record(1, 4, {0, 4});
  HeadVisSequence sequence;
  for (int k = 0; k < 7; ++k) sequence.tokens.push_back(k % 2 == 0 ? "even" : "odd");
  // q, k: 0,0 - 5,4 - 6,1 - 2,6
  sequence.indices = {0, 5 * 7 + 4, 6 * 7 + 1, 2 * 7 + 6};
  sequence.values = {1, 0.5, 0.25, 0.125};
  const HeadVisHead head = headvis_head_of(record, 0, {sequence, sequence});
  const HeadVisHistogram& distances = head.plots.at("qk_distance_histogram");
  EXPECT_EQ(std::vector<double>(distances.edges.begin(), distances.edges.begin() + 5),
            (std::vector<double>{0, 1, 2, 4, 8}));
  EXPECT_EQ(std::vector<double>(distances.values.begin(), distances.values.begin() + 4),
            (std::vector<double>{2, 2, 0, 4}));
  EXPECT_EQ(std::accumulate(distances.values.begin(), distances.values.end(), 0.0), 8);
  EXPECT_EQ(head.tables.at("top_query_tokens"), (std::vector<HeadVisToken>{{"even", 2.75}, {"odd", 1}}));
  EXPECT_EQ(head.tables.at("top_key_tokens"), (std::vector<HeadVisToken>{{"even", 3.25}, {"odd", 0.5}}));
  EXPECT_EQ(head.statistics.at("rows"), static_cast<double>(record.heads[0].rows));
  double rows = 0;
  for (const double count : head.plots.at("entropy_histogram").values) rows += count;
  EXPECT_EQ(rows, static_cast<double>(record.heads[0].counts[0]));
}

// Without sequences: what the scan has counted, and no distances of single weights, which it has not.
TEST(HeadVisOfCorpus, WithoutSequencesTokensAreCountedByRows) {
  CorpusRecord record = test::made_record(1, 4, {0, 4});
  HeadRecord& counted = record.heads[0];
  counted.query_tokens.clear();
  counted.key_tokens.clear();
  counted.query_tokens.add(7, 3);
  counted.query_tokens.add(9, 5);
  counted.key_tokens.add(9, 8);
  record.words = {{7, " it"}, {9, " cat"}};
  const HeadVisHead head = headvis_head_of(record, 0, {});
  EXPECT_EQ(head.tables.at("top_query_tokens"), (std::vector<HeadVisToken>{{" cat", 5}, {" it", 3}}));
  EXPECT_EQ(head.tables.at("top_key_tokens"), (std::vector<HeadVisToken>{{" cat", 8}}));
  EXPECT_TRUE(head.plots.at("qk_distance_histogram").values.empty());
  const HeadVisConfig config = headvis_tree_of(record, false).config;
  ASSERT_EQ(config.tables.size(), 2U);
  EXPECT_NE(config.tables[0].label.find("in rows"), std::string::npos) << config.tables[0].label;
  for (const HeadVisLabel& plot : config.plots) EXPECT_NE(plot.key, "qk_distance_histogram");
  EXPECT_EQ(config.facts.count("intervals"), 0U);
  EXPECT_EQ(headvis_tree_of(record, true).config.facts.count("intervals"), 1U);
}

}  // namespace
}  // namespace headscope
