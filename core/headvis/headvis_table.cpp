#include "core/headvis/headvis_table.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/headvis/headvis_of_corpus.h"

namespace headscope {
namespace {

// The places of the heads in config.json, by layer and head.
std::vector<std::size_t> sorted_heads(const HeadVisConfig& config) {
  std::vector<std::size_t> order(config.heads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return config.heads[a] < config.heads[b]; });
  return order;
}

// Neuronpedia's names for metrics that HeadVis itself calls otherwise.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kOtherNames = {
    {{"prev_token_score", "previous_token_score"}}};

// Ours is in bits. HeadVis says no unit, and Neuronpedia's folders are in nats.
bool is_in_bits(const HeadVisConfig& config, const std::string& metric) {
  const auto found = config.descriptions.find(metric);
  return found != config.descriptions.end() && found->second.find("bits") != std::string::npos;
}

std::string own_name(const HeadVisConfig& config, const std::string& name) {
  std::string_view known = name;
  for (const auto& [other, usual] : kOtherNames) {
    if (other == name) known = usual;
  }
  for (const HeadVisMetric& row : headvis_metrics()) {
    if (row.name != known) continue;
    const bool ours = row.metric != CorpusMetric::entropy || is_in_bits(config, name);
    return ours ? std::string(corpus_metric_key(row.metric)) : name;
  }
  return name;
}

}  // namespace

HeadTable headvis_table(const HeadVisTree& tree) {
  const std::vector<std::size_t> order = sorted_heads(tree.config);
  std::vector<LayerHead> heads;
  for (const std::size_t at : order) heads.push_back({tree.config.heads[at].first, tree.config.heads[at].second});
  std::vector<HeadColumn> columns;
  for (std::size_t metric = 0; metric < tree.config.metrics.size(); ++metric) {
    HeadColumn column;
    column.key = own_name(tree.config, tree.config.metrics[metric]);
    // A folder may have both names; then the second one keeps its own.
    const bool taken =
        std::any_of(columns.begin(), columns.end(), [&](const HeadColumn& each) { return each.key == column.key; });
    if (taken) column.key = tree.config.metrics[metric];
    for (const std::size_t at : order) column.values.push_back(tree.values[at][metric]);
    columns.push_back(std::move(column));
  }
  return head_table(heads, std::move(columns));
}

CorpusRecord headvis_record(const HeadVisTree& tree) {
  CorpusRecord record;
  record.facts.model = tree.config.model;
  record.facts.patterns = false;
  for (const std::size_t at : sorted_heads(tree.config)) {
    record.heads.emplace_back(tree.config.heads[at].first, tree.config.heads[at].second);
  }
  return record;
}

}  // namespace headscope
