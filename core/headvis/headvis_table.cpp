#include "core/headvis/headvis_table.h"

#include <algorithm>
#include <numeric>
#include <string>
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

std::string own_name(const std::string& name) {
  for (const HeadVisMetric& row : headvis_metrics()) {
    if (row.name == name) return std::string(corpus_metric_key(row.metric));
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
    column.key = own_name(tree.config.metrics[metric]);
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
