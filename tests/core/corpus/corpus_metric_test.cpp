#include "core/corpus/corpus_metric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

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

TEST(CorpusMetrics, EveryBinBeginsAtItsEdgeAndEndsBeforeTheNext) {
  for (const CorpusMetric metric : all_corpus_metrics()) {
    const auto edges = histogram_edges(metric);
    for (std::size_t k = 0; k + 1 < edges.size(); ++k) {
      EXPECT_EQ(histogram_bin(edges, edges[k]), k) << corpus_metric_key(metric);
      EXPECT_EQ(histogram_bin(edges, std::nextafter(edges[k + 1], 0)), k) << corpus_metric_key(metric);
      EXPECT_EQ(histogram_bin(edges, (edges[k] + edges[k + 1]) / 2), k) << corpus_metric_key(metric);
    }
    if (edges.empty()) continue;
    EXPECT_EQ(histogram_bin(edges, 1e300), edges.size() - 2);
  }
}

TEST(CorpusMetrics, ALearnedSinkTakesThePlaceOfTheFirstToken) {
  Trace trace;
  auto inputs = std::make_shared<Inputs>();
  inputs->tokens = inputs->key_tokens = {"a", "b"};
  inputs->query_len = inputs->key_len = 2;
  trace.inputs = inputs;
  const TokenPlaces places(trace);
  const std::vector<float> w = {0.25F, 0.5F};
  const auto sink = static_cast<std::size_t>(CorpusMetric::sink);
  EXPECT_EQ(corpus_row(1, w, 2, places).values[sink], 0.25);
  const CorpusRow row = corpus_row(1, w, 2, places, 0.125);
  EXPECT_EQ(row.values[sink], 0.125);
  EXPECT_EQ(row.values[static_cast<std::size_t>(CorpusMetric::first)], 0.25);
  EXPECT_TRUE(corpus_row(0, std::vector<float>{0.5F, 0}, 1, places, 0.5).defined[sink])
      << "a row of one key and a sink";
  EXPECT_FALSE(corpus_row(1, std::vector<float>{NAN, 0}, 2, places, 0.5).defined[sink]);
}

}  // namespace
}  // namespace headscope
