#include "core/corpus/corpus_metric.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/base/assert.h"

namespace headscope {
namespace {

using Edges = const std::vector<double>& (*)();

// Quarters of a bit up to 16 bits, the entropy of 65,536 equal weights.
const std::vector<double>& quarter_bits() {
  static const std::vector<double> edges = [] {
    std::vector<double> all;
    for (int k = 0; k <= 64; ++k) all.push_back(k / 4.0);
    return all;
  }();
  return edges;
}

// 0, 1/4, 1/2, 1, 2, 4 ... 65,536 tokens.
const std::vector<double>& doubled_distances() {
  static const std::vector<double> edges = [] {
    std::vector<double> all = {0};
    for (double edge = 0.25; edge <= 65536; edge *= 2) all.push_back(edge);
    return all;
  }();
  return edges;
}

// Twentieths of 1.
const std::vector<double>& twentieths() {
  static const std::vector<double> edges = [] {
    std::vector<double> all;
    for (int k = 0; k <= 20; ++k) all.push_back(k / 20.0);
    return all;
  }();
  return edges;
}

struct MetricRow {
  CorpusMetric metric;
  std::string_view key;
  std::optional<HeadMetric> same_as;  // the metric of one phrase that it is
  Edges edges;                        // null: no histogram
};

constexpr std::array<MetricRow, kCorpusMetrics> kRows = {{
    {CorpusMetric::entropy, "entropy", HeadMetric::entropy, quarter_bits},
    {CorpusMetric::distance, "distance", HeadMetric::mean_distance, doubled_distances},
    {CorpusMetric::previous, "previous", HeadMetric::previous_token, nullptr},
    {CorpusMetric::next, "next", HeadMetric::next_token, nullptr},
    {CorpusMetric::first, "first", HeadMetric::first_token, twentieths},
    {CorpusMetric::self, "self", HeadMetric::self, twentieths},
    {CorpusMetric::duplicate, "duplicate", std::nullopt, nullptr},
    {CorpusMetric::induction, "induction", HeadMetric::induction, nullptr},
    {CorpusMetric::copying, "copying", std::nullopt, nullptr},
    {CorpusMetric::sink, "sink", HeadMetric::first_token, nullptr},
    {CorpusMetric::max_weight, "max_weight", std::nullopt, twentieths},
}};

const MetricRow& row_of(CorpusMetric metric) {
  const MetricRow& row = kRows.at(static_cast<std::size_t>(metric));
  HEADSCOPE_ASSERT(row.metric == metric, "metric " + std::to_string(static_cast<int>(metric)));
  return row;
}

void set(CorpusRow& row, CorpusMetric metric, double value) {
  row.values[static_cast<std::size_t>(metric)] = value;
  row.defined[static_cast<std::size_t>(metric)] = true;
}

// The weight of the row on the keys of `places` up to `last`; nothing where there are none.
std::optional<double> weight_on(std::span<const float> w, std::span<const std::int64_t> places, std::int64_t last) {
  std::optional<double> sum;
  for (const std::int64_t j : places) {
    if (j > last) break;
    sum = sum.value_or(0) + static_cast<double>(w[static_cast<std::size_t>(j)]);
  }
  return sum;
}

}  // namespace

const std::array<CorpusMetric, kCorpusMetrics>& all_corpus_metrics() {
  static const std::array<CorpusMetric, kCorpusMetrics> all = [] {
    std::array<CorpusMetric, kCorpusMetrics> metrics{};
    for (std::size_t k = 0; k < kCorpusMetrics; ++k) metrics[k] = kRows[k].metric;
    return metrics;
  }();
  return all;
}

std::string_view corpus_metric_key(CorpusMetric metric) {
  return row_of(metric).key;
}

std::span<const double> histogram_edges(CorpusMetric metric) {
  const Edges edges = row_of(metric).edges;
  return edges == nullptr ? std::span<const double>() : std::span<const double>(edges());
}

std::size_t histogram_bin(std::span<const double> edges, double value) {
  const std::size_t last = edges.size() - 2;
  // The bin as if all were as wide as the first one, which most are, and from there to the right one.
  const double guess = (value - edges[0]) / (edges[1] - edges[0]);
  std::size_t bin = guess > 0 ? static_cast<std::size_t>(std::min(guess, static_cast<double>(last))) : 0;
  while (bin > 0 && value < edges[bin]) --bin;
  while (bin < last && value >= edges[bin + 1]) ++bin;
  return bin;
}

CorpusRow corpus_row(std::int64_t i, std::span<const float> w, std::int64_t visible_keys, const TokenPlaces& places,
                     std::optional<double> sink_share) {
  const HeadRowValues head = head_row_values(i, w, visible_keys, places, sink_share);
  CorpusRow row;
  row.has_choice = head.has_choice;
  row.has_nan = head.has_nan;
  row.largest = head.largest;
  for (const MetricRow& each : kRows) {
    if (each.same_as && head.has(*each.same_as)) set(row, each.metric, head[*each.same_as]);
  }
  if (sink_share && !head.has_nan) set(row, CorpusMetric::sink, *sink_share);
  if (!head.has_choice) return row;
  set(row, CorpusMetric::max_weight, static_cast<double>(head.largest));
  if (const auto weight = weight_on(w, places.same_as(i), i - 1)) set(row, CorpusMetric::duplicate, *weight);
  if (i + 1 < places.token_len()) {
    if (const auto weight = weight_on(w, places.same_as(i + 1), i)) set(row, CorpusMetric::copying, *weight);
  }
  return row;
}

}  // namespace headscope
