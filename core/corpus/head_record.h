// What is known of one head over the phrases that were scanned.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/corpus/corpus_metric.h"
#include "core/corpus/exact_sum.h"
#include "core/corpus/head_vectors.h"
#include "core/corpus/mean_pattern.h"
#include "core/corpus/token_counts.h"

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

// Rows that were drawn for each tenth of the largest weight: [0, 0.1), [0.1, 0.2), ..., [0.9, 1].
constexpr std::size_t kDeciles = 10, kSamplesEach = 4;
std::size_t decile_of(float largest);
// What a row is drawn by: a number of its phrase and position, the same in every head. The smallest stay.
std::uint64_t draw_of(std::int64_t phrase, std::int64_t query);
// The order of samples, by draw_of(), then phrase and query.
bool is_drawn_before(const CorpusExample& a, const CorpusExample& b);

// A row whose largest weight is so much points at that key.
constexpr float kPoints = 0.5F;
constexpr std::size_t kKeptTokens = 64;  // of a side that stay once the whole list is scanned

// What is counted over repeated random tokens: of each of kRepeatedMetrics rows and their sum.
struct RepeatedRecord {
  std::uint64_t rows = 0;
  std::array<std::uint64_t, kRepeatedMetrics.size()> counts{};
  std::array<ExactSum, kRepeatedMetrics.size()> sums{};

  void add(const CorpusRow& row);
  void add(const RepeatedRecord& other);
  // NaN over no row.
  double mean(std::size_t metric) const;
  friend bool operator==(const RepeatedRecord&, const RepeatedRecord&) = default;
};

struct HeadRecord {
  std::int64_t layer = 0, head = 0;
  std::uint64_t rows = 0;                              // all rows, also those that no metric is defined on
  std::array<std::uint64_t, kCorpusMetrics> counts{};  // rows that the metric is defined on
  std::array<ExactSum, kCorpusMetrics> sums{};
  std::array<std::vector<std::uint64_t>, kCorpusMetrics> histograms;  // one number a bin; empty without a histogram
  std::vector<CorpusExample> top;                                     // in the order above, at most kMostExamples
  std::array<std::vector<CorpusExample>, kDeciles> samples;           // in their order, at most kSamplesEach
  std::uint64_t pointing = 0;  // rows that point at a key (kPoints) of two or more that they see
  MeanPattern pattern;         // of rows without NaN; empty where CorpusFacts::patterns is false
  RepeatedRecord repeated;
  ExactSum ablated_loss;                 // of the tokens of CorpusRecord::loss, while the head's context was 0
  TokenCounts query_tokens, key_tokens;  // of these rows: whose they are, and what they point at

  std::array<HeadVectors, kVectorKinds> vectors;  // empty where the scan did not ask for points

  HeadRecord() = default;
  HeadRecord(std::int64_t layer, std::int64_t head);

  void add(const CorpusRow& row);
  void add(const CorpusExample& example);
  void add_sample(const CorpusExample& row);
  void add_pointing(std::uint64_t query_token, std::uint64_t key_token);
  // What was counted of the same head elsewhere, all but the points of its vectors: add_drawn(). Associative and
  // commutative, to the bit.
  void add(const HeadRecord& other);
  // As it was when it was made.
  void clear();

  // sum / count; NaN over no row.
  double mean(CorpusMetric metric) const;
  friend bool operator==(const HeadRecord&, const HeadRecord&) = default;
};

}  // namespace headscope
