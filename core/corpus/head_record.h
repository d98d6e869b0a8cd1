// What is known of one head over the phrases that were scanned.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/corpus/corpus_metric.h"
#include "core/corpus/exact_sum.h"

namespace headscope {

// The strongest weight of one phrase in one head: a place to look at.
struct CorpusExample {
  float value = 0;          // weights[query, key]
  std::uint64_t hash = 0;   // of the phrase's text: short_sha256()
  std::int64_t phrase = 0;  // its index in the list
  std::int64_t query = 0, key = 0;
  friend bool operator==(const CorpusExample&, const CorpusExample&) = default;
};

// The order of examples: the larger value first, then by hash, query, key and phrase. Total, so that the first few of
// two lists together do not depend on how the lists came about.
bool comes_before(const CorpusExample& a, const CorpusExample& b);

constexpr std::size_t kMostExamples = 16;

struct HeadRecord {
  std::int64_t layer = 0, head = 0;
  std::uint64_t rows = 0;                              // all rows, also those that no metric is defined on
  std::array<std::uint64_t, kCorpusMetrics> counts{};  // rows that the metric is defined on
  std::array<ExactSum, kCorpusMetrics> sums{};
  std::array<std::vector<std::uint64_t>, kCorpusMetrics> histograms;  // one number a bin; empty without a histogram
  std::vector<CorpusExample> top;                                     // in the order above, at most kMostExamples

  HeadRecord() = default;
  HeadRecord(std::int64_t layer, std::int64_t head);

  void add(const CorpusRow& row);
  void add(const CorpusExample& example);
  // What was counted of the same head elsewhere. Associative and commutative, to the bit.
  void add(const HeadRecord& other);
  // As it was when it was made.
  void clear();

  // sum / count; NaN over no row.
  double mean(CorpusMetric metric) const;
  friend bool operator==(const HeadRecord&, const HeadRecord&) = default;
};

}  // namespace headscope
