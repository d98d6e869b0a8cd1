// The folder that HeadVis shows, as a table of heads.
#include "core/headvis/headvis_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/headvis/headvis_of_corpus.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

HeadVisTree tree_of(std::vector<std::string> metrics) {
  HeadVisTree tree;
  tree.config.model = "gemma";
  tree.config.heads = {{2, 0}, {0, 1}, {0, 0}};
  tree.config.metrics = std::move(metrics);
  tree.values = {{1, 4}, {2, NAN}, {3, 6}};
  return tree;
}

TEST(HeadVisTable, SortsHeadsAndKeepsTheirNumbers) {
  const HeadTable table = headvis_table(tree_of({"induction_score", "logit_std"}));
  EXPECT_EQ(table.keys, (std::vector<std::string>{"induction", "logit_std"})) << "ours by our name";
  ASSERT_EQ(table.heads.size(), 3U);
  EXPECT_EQ(table.heads[1].layer, 0);
  EXPECT_EQ(table.heads[1].head, 1);
  EXPECT_EQ(table.mean(std::size_t{0}, 0), 3);
  EXPECT_EQ(table.mean(std::size_t{0}, 1), 2);
  EXPECT_EQ(table.mean(std::size_t{1}, 2), 4);
  EXPECT_TRUE(std::isnan(table.mean(std::size_t{1}, 1)));
  EXPECT_EQ(table.compared, 2U);
  EXPECT_EQ(table.ranges[1].undefined, 1);
}

TEST(HeadVisTable, TwoMetricsNeverGetOneName) {
  const HeadTable table = headvis_table(tree_of({"induction", "induction_score"}));
  EXPECT_EQ(table.keys, (std::vector<std::string>{"induction", "induction_score"}));
}

// As Neuronpedia writes them: another name for one, and an entropy in nats, of which no unit is said.
TEST(HeadVisTable, NeuronpediasNamesAreTakenAndItsEntropyIsNot) {
  HeadVisTree tree = tree_of({"prev_token_score", "pattern_entropy"});
  tree.config.descriptions["pattern_entropy"] = "Mean Shannon entropy of each row of the attention matrix.";
  EXPECT_EQ(headvis_table(tree).keys, (std::vector<std::string>{"previous", "pattern_entropy"}));
  tree.config.descriptions["pattern_entropy"] = "Mean Shannon entropy of a row, in bits.";
  EXPECT_EQ(headvis_table(tree).keys, (std::vector<std::string>{"previous", "entropy"}));
}

TEST(HeadVisTable, AScanThatIsWrittenForHeadVisHasTheSameMeans) {
  const CorpusRecord record = test::made_record(3, 20, {0, 20});
  const HeadTable of_scan = head_table(record), of_tree = headvis_table(headvis_tree_of(record, false));
  ASSERT_EQ(of_tree.heads.size(), of_scan.heads.size());
  for (const CorpusMetric metric : all_corpus_metrics()) {
    const auto mean = of_tree.mean_named(corpus_metric_key(metric));
    ASSERT_TRUE(mean) << corpus_metric_key(metric);
    for (std::size_t head = 0; head < of_scan.heads.size(); ++head) {
      EXPECT_EQ(of_tree.mean(*mean, head), of_scan.mean(metric, head));
    }
  }
  EXPECT_EQ(headvis_record(headvis_tree_of(record, false)).heads.size(), record.heads.size());
}

}  // namespace
}  // namespace headscope
