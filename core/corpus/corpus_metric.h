// What is counted of every head over a corpus, by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/heads/head_row_values.h"

namespace headscope {

// Each is a mean over rows of `weights`, of all phrases together; formulas: core/README.md, 'Metrics over a corpus'.
enum class CorpusMetric {
  entropy,
  distance,
  previous,
  next,
  first,
  self,
  duplicate,
  induction,
  copying,
  sink,
  max_weight,
};
constexpr std::size_t kCorpusMetrics = 11;

const std::array<CorpusMetric, kCorpusMetrics>& all_corpus_metrics();

// Those that are counted over repeated random tokens, too.
constexpr std::array kRepeatedMetrics = {CorpusMetric::previous, CorpusMetric::next, CorpusMetric::duplicate,
                                         CorpusMetric::induction};

// "max_weight": in files, tables and JSON.
std::string_view corpus_metric_key(CorpusMetric metric);

// The edges e_0 < e_1 < ... of the metric's histogram, whose bin k counts rows with e_k <= value < e_k+1; the first bin
// counts what is below too, and the last one what is above. Empty: the metric has none. `value` is a number.
std::span<const double> histogram_edges(CorpusMetric metric);
std::size_t histogram_bin(std::span<const double> edges, double value);

// The value of a row under each metric that it is defined on.
struct CorpusRow {
  std::array<double, kCorpusMetrics> values{};
  std::array<bool, kCorpusMetrics> defined{};
  bool has_choice = false;  // as HeadRowValues says
  bool has_nan = false;     // a weight is no number: no metric is defined
  float largest = 0;        // the row's largest weight
};

// Of row i as head_row_values() takes it, with what a learned sink takes of it, which gives those metrics that a single
// phrase has too. `sink_share` then is the row's `sink`.
CorpusRow corpus_row(std::int64_t i, std::span<const float> w, std::int64_t visible_keys, const TokenPlaces& places,
                     std::optional<double> sink_share = {});

}  // namespace headscope
