#include "core/corpus/head_record.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/assert.h"

namespace headscope {

bool comes_before(const CorpusExample& a, const CorpusExample& b) {
  if (a.value != b.value) return a.value > b.value;
  return std::tie(a.hash, a.query, a.key, a.phrase) < std::tie(b.hash, b.query, b.key, b.phrase);
}

std::size_t decile_of(float largest) {
  const double tenth = std::floor(static_cast<double>(largest) * static_cast<double>(kDeciles));
  return static_cast<std::size_t>(std::clamp(tenth, 0.0, static_cast<double>(kDeciles - 1)));
}

std::uint64_t draw_of(std::int64_t phrase, std::int64_t query) {
  // splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014), of one number and then of
  // the other.
  const auto mixed = [](std::uint64_t z) {
    z += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  };
  return mixed(mixed(static_cast<std::uint64_t>(phrase)) ^ static_cast<std::uint64_t>(query));
}

bool is_drawn_before(const CorpusExample& a, const CorpusExample& b) {
  const std::uint64_t x = draw_of(a.phrase, a.query), y = draw_of(b.phrase, b.query);
  return std::tie(x, a.phrase, a.query) < std::tie(y, b.phrase, b.query);
}

void RepeatedRecord::add(const CorpusRow& row) {
  ++rows;
  for (std::size_t k = 0; k < kRepeatedMetrics.size(); ++k) {
    const auto metric = static_cast<std::size_t>(kRepeatedMetrics[k]);
    if (!row.defined[metric]) continue;
    ++counts[k];
    sums[k].add(row.values[metric]);
  }
}

void RepeatedRecord::add(const RepeatedRecord& other) {
  rows += other.rows;
  for (std::size_t k = 0; k < kRepeatedMetrics.size(); ++k) {
    counts[k] += other.counts[k];
    sums[k].add(other.sums[k]);
  }
}

double RepeatedRecord::mean(std::size_t metric) const {
  if (counts[metric] == 0) return std::numeric_limits<double>::quiet_NaN();
  return sums[metric].value() / static_cast<double>(counts[metric]);
}

HeadRecord::HeadRecord(std::int64_t of_layer, std::int64_t of_head) : layer(of_layer), head(of_head) {
  for (const CorpusMetric metric : all_corpus_metrics()) {
    const auto edges = histogram_edges(metric);
    if (!edges.empty()) histograms[static_cast<std::size_t>(metric)].resize(edges.size() - 1);
  }
}

void HeadRecord::add(const CorpusRow& row) {
  ++rows;
  for (std::size_t k = 0; k < kCorpusMetrics; ++k) {
    if (!row.defined[k]) continue;
    ++counts[k];
    sums[k].add(row.values[k]);
    if (histograms[k].empty()) continue;
    ++histograms[k][histogram_bin(histogram_edges(all_corpus_metrics()[k]), row.values[k])];
  }
}

void HeadRecord::add(const CorpusExample& example) {
  if (top.size() == kMostExamples && !comes_before(example, top.back())) return;
  top.insert(std::upper_bound(top.begin(), top.end(), example, comes_before), example);
  if (top.size() > kMostExamples) top.pop_back();
}

void HeadRecord::add_sample(const CorpusExample& row) {
  std::vector<CorpusExample>& drawn = samples[decile_of(row.value)];
  if (drawn.size() == kSamplesEach && !is_drawn_before(row, drawn.back())) return;
  drawn.insert(std::upper_bound(drawn.begin(), drawn.end(), row, is_drawn_before), row);
  if (drawn.size() > kSamplesEach) drawn.pop_back();
}

void HeadRecord::add_pointing(std::uint64_t query_token, std::uint64_t key_token) {
  ++pointing;
  query_tokens.add(query_token);
  key_tokens.add(key_token);
}

void HeadRecord::add(const HeadRecord& other) {
  HEADSCOPE_ASSERT(layer == other.layer && head == other.head, "two heads");
  rows += other.rows;
  for (std::size_t k = 0; k < kCorpusMetrics; ++k) {
    counts[k] += other.counts[k];
    sums[k].add(other.sums[k]);
    for (std::size_t bin = 0; bin < histograms[k].size(); ++bin) histograms[k][bin] += other.histograms[k][bin];
  }
  for (const CorpusExample& example : other.top) add(example);
  for (const auto& drawn : other.samples) {
    for (const CorpusExample& row : drawn) add_sample(row);
  }
  pointing += other.pointing;
  pattern.add(other.pattern);
  repeated.add(other.repeated);
  ablated_loss.add(other.ablated_loss);
  query_tokens.add(other.query_tokens);
  key_tokens.add(other.key_tokens);
  for (std::size_t kind = 0; kind < kVectorKinds; ++kind) vectors[kind].add_sums(other.vectors[kind]);
}

void HeadRecord::clear() {
  rows = 0;
  counts = {};
  sums = {};
  for (auto& histogram : histograms) std::fill(histogram.begin(), histogram.end(), 0);
  top.clear();
  for (auto& drawn : samples) drawn.clear();
  pointing = 0;
  pattern = {};
  repeated = {};
  ablated_loss = {};
  query_tokens.clear();
  key_tokens.clear();
  for (HeadVectors& kind : vectors) kind.clear();
}

double HeadRecord::mean(CorpusMetric metric) const {
  const auto k = static_cast<std::size_t>(metric);
  if (counts[k] == 0) return std::numeric_limits<double>::quiet_NaN();
  return sums[k].value() / static_cast<double>(counts[k]);
}

}  // namespace headscope
