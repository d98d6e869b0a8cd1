#include "core/corpus/corpus_metric.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace headscope {
namespace {

TEST(CorpusMetrics, HaveOneKeyEach) {
  std::set<std::string_view> keys;
  for (const CorpusMetric metric : all_corpus_metrics()) keys.insert(corpus_metric_key(metric));
  EXPECT_EQ(keys.size(), kCorpusMetrics);
}

TEST(CorpusMetrics, BinsAreHalfOpenAndTheLastOneHoldsWhatIsAbove) {
  const auto edges = histogram_edges(CorpusMetric::first);
  ASSERT_EQ(edges.size(), 21u);
  EXPECT_EQ(histogram_bin(edges, -1), 0u);
  EXPECT_EQ(histogram_bin(edges, 0), 0u);
  EXPECT_EQ(histogram_bin(edges, edges[1]), 1u);
  EXPECT_EQ(histogram_bin(edges, 1), 19u);
  EXPECT_EQ(histogram_bin(edges, 7), 19u);
  EXPECT_TRUE(histogram_edges(CorpusMetric::previous).empty());
}

}  // namespace
}  // namespace headscope
