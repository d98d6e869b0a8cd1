#include "core/corpus/head_record.h"

#include <algorithm>
#include <tuple>

#include "core/base/assert.h"

namespace headscope {

bool comes_before(const CorpusExample& a, const CorpusExample& b) {
  if (a.value != b.value) return a.value > b.value;
  return std::tie(a.hash, a.query, a.key, a.phrase) < std::tie(b.hash, b.query, b.key, b.phrase);
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

void HeadRecord::add(const HeadRecord& other) {
  HEADSCOPE_ASSERT(layer == other.layer && head == other.head, "two heads");
  rows += other.rows;
  for (std::size_t k = 0; k < kCorpusMetrics; ++k) {
    counts[k] += other.counts[k];
    sums[k].add(other.sums[k]);
    for (std::size_t bin = 0; bin < histograms[k].size(); ++bin) histograms[k][bin] += other.histograms[k][bin];
  }
  for (const CorpusExample& example : other.top) add(example);
}

void HeadRecord::clear() {
  rows = 0;
  counts = {};
  sums = {};
  for (auto& histogram : histograms) std::fill(histogram.begin(), histogram.end(), 0);
  top.clear();
}

double HeadRecord::mean(CorpusMetric metric) const {
  const auto k = static_cast<std::size_t>(metric);
  if (counts[k] == 0) return std::numeric_limits<double>::quiet_NaN();
  return sums[k].value() / static_cast<double>(counts[k]);
}

}  // namespace headscope
