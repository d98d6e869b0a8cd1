#include "core/headvis/headvis_of_corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace headscope {
namespace {

constexpr std::size_t kMostTableRows = 50;
constexpr std::int64_t kFarthest = 4096;
constexpr const char* kIntervals =
    "the last has the strongest phrases of the head, whatever their weights; each has rows that were drawn by chance "
    "among those whose largest weight is in this tenth of 0 to 1, with the weights of that row alone";

std::string histogram_key(CorpusMetric metric) {
  return fmt::format("{}_histogram", corpus_metric_key(metric));
}

std::string_view name_of(CorpusMetric metric) {
  const auto& all = headvis_metrics();
  return std::find_if(all.begin(), all.end(), [&](const HeadVisMetric& row) { return row.metric == metric; })->name;
}

// Of the rows that point (kPoints) those with each token, the most first; the texts are of the record.
std::vector<HeadVisToken> table_of(const CorpusRecord& record, const TokenCounts& counts) {
  std::vector<HeadVisToken> table;
  for (const TokenCount& count : counts.top(kMostTableRows)) {
    const auto word = record.words.find(count.token);
    const std::string text = word == record.words.end() ? fmt::format("{}", count.token) : word->second;
    table.push_back({text, static_cast<double>(count.rows)});
  }
  return table;
}

// How many of the weights lie 0, 1, 2 to 3, 4 to 7 ... tokens from the diagonal; the last bin also counts those beyond
// it.
HeadVisHistogram distances_of(const std::vector<HeadVisSequence>& sequences) {
  HeadVisHistogram histogram;
  histogram.edges = {0};
  for (std::int64_t edge = 1; edge <= kFarthest; edge *= 2) histogram.edges.push_back(static_cast<double>(edge));
  histogram.values.resize(histogram.edges.size() - 1);
  for (const HeadVisSequence& sequence : sequences) {
    const auto tokens = static_cast<std::int64_t>(sequence.tokens.size());
    for (const std::int64_t index : sequence.indices) {
      const auto distance = static_cast<double>(std::abs(index / tokens - index % tokens));
      const auto above = std::upper_bound(histogram.edges.begin(), histogram.edges.end() - 1, distance);
      ++histogram.values[static_cast<std::size_t>(above - histogram.edges.begin()) - 1];
    }
  }
  return histogram;
}

std::vector<HeadVisToken> table_of(const std::vector<HeadVisSequence>& sequences, bool of_keys) {
  std::map<std::string, double> weights;
  for (const HeadVisSequence& sequence : sequences) {
    const auto tokens = static_cast<std::int64_t>(sequence.tokens.size());
    for (std::size_t k = 0; k < sequence.indices.size(); ++k) {
      const std::int64_t index = sequence.indices[k];
      weights[sequence.tokens[static_cast<std::size_t>(of_keys ? index % tokens : index / tokens)]] +=
          sequence.values[k];
    }
  }
  std::vector<HeadVisToken> table;
  for (const auto& [token, weight] : weights) table.push_back({token, weight});
  std::stable_sort(table.begin(), table.end(),
                   [](const HeadVisToken& a, const HeadVisToken& b) { return a.weight > b.weight; });
  table.resize(std::min(table.size(), kMostTableRows));
  return table;
}

}  // namespace

const std::vector<HeadVisMetric>& headvis_metrics() {
  using M = CorpusMetric;
  static const std::vector<HeadVisMetric> rows = {
      {M::entropy, "pattern_entropy", "Mean Shannon entropy of a row of weights, in bits: high where it is spread."},
      {M::distance, "qk_distance", "Mean distance |q - k| in tokens, weighted by attention."},
      {M::previous, "previous_token_score", "Mean weight on the token before."},
      {M::next, "next_token_score", "Mean weight on the token after."},
      {M::first, "first_token_score", "Mean weight on the first token, over all later rows."},
      {M::self, "self_attention_score", "Mean weight on the token itself."},
      {M::duplicate, "duplicate_token_score", "Mean weight on earlier tokens of the same id, where there are some."},
      {M::induction, "induction_score",
       "Mean weight on what followed the same token earlier, over rows whose token stood there before."},
      {M::copying, "copying_score",
       "Mean weight on earlier tokens of the id that comes next, where it stood there before."},
      {M::sink, "sink_share", "Mean share of the sink: the first token, or a learned sink where the head has one."},
      {M::max_weight, "max_weight", "Mean of the largest weight of a row."},
  };
  return rows;
}

HeadVisTree headvis_tree_of(const CorpusRecord& record, bool with_sequences) {
  HeadVisTree tree;
  HeadVisConfig& config = tree.config;
  config.model = record.facts.model;
  std::int64_t layers = 0, heads = 0;
  for (const HeadRecord& head : record.heads) {
    config.heads.emplace_back(head.layer, head.head);
    layers = std::max(layers, head.layer + 1);
    heads = std::max(heads, head.head + 1);
    std::vector<double>& values = tree.values.emplace_back();
    for (const HeadVisMetric& row : headvis_metrics()) values.push_back(head.mean(row.metric));
  }
  config.layers = layers;
  config.heads_each = heads;
  for (const HeadVisMetric& row : headvis_metrics()) {
    config.metrics.emplace_back(row.name);
    config.descriptions[std::string(row.name)] = row.description;
  }
  if (with_sequences) {
    config.plots = {{"qk_distance_histogram", "Q-K distance of the weights shown"}};
    config.tables = {{"top_query_tokens", "Top query tokens"}, {"top_key_tokens", "Top key tokens"}};
  } else {
    config.tables = {{"top_query_tokens", "Tokens of rows that give 1/2 or more to one token, in rows"},
                     {"top_key_tokens", "Tokens that get 1/2 or more of a row, in rows"}};
  }
  for (const CorpusMetric metric : all_corpus_metrics()) {
    if (histogram_edges(metric).empty()) continue;
    config.plots.push_back({histogram_key(metric), fmt::format("Rows by {}", name_of(metric))});
  }
  config.statistics = {{"rows", "Rows of weights"}, {"sequences", "Sequences kept"}};
  const CorpusFacts& facts = record.facts;
  config.facts = {{"sha256", facts.sha256},
                  {"tokenizer", facts.tokenizer},
                  {"most_tokens", std::to_string(facts.most_tokens)},
                  {"list_sha256", facts.list_sha256},
                  {"list_size", std::to_string(facts.list_size)},
                  {"scanned", record.scanned.text()},
                  {"phrases", std::to_string(record.phrases)},
                  {"tokens", std::to_string(record.tokens)}};
  if (with_sequences) config.facts["intervals"] = kIntervals;
  return tree;
}

HeadVisHead headvis_head_of(const CorpusRecord& record, std::size_t index, std::vector<HeadVisSequence> sequences) {
  const HeadRecord& from = record.heads[index];
  HeadVisHead head;
  const bool counts = sequences.empty();
  head.plots["qk_distance_histogram"] = counts ? HeadVisHistogram() : distances_of(sequences);
  head.tables["top_query_tokens"] = counts ? table_of(record, from.query_tokens) : table_of(sequences, false);
  head.tables["top_key_tokens"] = counts ? table_of(record, from.key_tokens) : table_of(sequences, true);
  for (const CorpusMetric metric : all_corpus_metrics()) {
    const auto edges = histogram_edges(metric);
    if (edges.empty()) continue;
    HeadVisHistogram& histogram = head.plots[histogram_key(metric)];
    histogram.edges.assign(edges.begin(), edges.end());
    for (const std::uint64_t count : from.histograms[static_cast<std::size_t>(metric)]) {
      histogram.values.push_back(static_cast<double>(count));
    }
  }
  head.statistics = {{"rows", static_cast<double>(from.rows)}, {"sequences", static_cast<double>(sequences.size())}};
  head.sequences = std::move(sequences);
  return head;
}

}  // namespace headscope
