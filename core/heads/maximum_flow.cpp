#include "core/heads/maximum_flow.h"

#include <algorithm>

namespace headscope {
namespace {

// Less is what rounding leaves of an edge that is full.
constexpr double kEmpty = 1e-14;

}  // namespace

LayeredFlow::LayeredFlow(std::int64_t tokens, const std::vector<std::vector<double>>& capacities)
    : tokens_(tokens), depth_(static_cast<std::int64_t>(capacities.size())) {
  leaving_.resize(static_cast<std::size_t>(tokens * (depth_ + 1)));
  for (std::int64_t l = 0; l < depth_; ++l) {
    for (std::int64_t i = 0; i < tokens; ++i) {
      for (std::int64_t j = 0; j < tokens; ++j) {
        const double capacity = capacities[static_cast<std::size_t>(l)][static_cast<std::size_t>(i * tokens + j)];
        if (capacity > kEmpty) add((l + 1) * tokens + i, l * tokens + j, capacity);
      }
    }
  }
  original_.reserve(edges_.size());
  for (const Edge& edge : edges_) original_.push_back(edge.capacity);
}

void LayeredFlow::add(std::int64_t from, std::int64_t to, double capacity) {
  leaving_[static_cast<std::size_t>(from)].push_back(static_cast<std::int32_t>(edges_.size()));
  edges_.push_back({static_cast<std::int32_t>(to), capacity});
  leaving_[static_cast<std::size_t>(to)].push_back(static_cast<std::int32_t>(edges_.size()));
  edges_.push_back({static_cast<std::int32_t>(from), 0});
}

bool LayeredFlow::find_levels(std::int32_t source, std::int32_t sink) {
  level_.assign(leaving_.size(), -1);
  level_[static_cast<std::size_t>(source)] = 0;
  std::vector<std::int32_t> queue = {source};
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const auto node = static_cast<std::size_t>(queue[at]);
    for (const std::int32_t index : leaving_[node]) {
      const Edge& edge = edges_[static_cast<std::size_t>(index)];
      std::int32_t& level = level_[static_cast<std::size_t>(edge.to)];
      if (level >= 0 || !(edge.capacity > kEmpty)) continue;
      level = level_[node] + 1;
      queue.push_back(edge.to);
    }
  }
  return level_[static_cast<std::size_t>(sink)] >= 0;
}

// Depth first; no deeper than there are nodes, and with the levels of a few layers far less.
double LayeredFlow::push(std::int32_t node, std::int32_t sink, double most) {
  if (node == sink) return most;
  const auto from = static_cast<std::size_t>(node);
  double sent = 0;
  for (std::size_t& at = next_[from]; at < leaving_[from].size(); ++at) {
    const auto index = static_cast<std::size_t>(leaving_[from][at]);
    Edge& edge = edges_[index];
    if (!(edge.capacity > kEmpty) || level_[static_cast<std::size_t>(edge.to)] != level_[from] + 1) continue;
    const double through = push(edge.to, sink, std::min(most - sent, edge.capacity));
    edge.capacity -= through;
    edges_[index ^ 1].capacity += through;
    sent += through;
    if (most - sent <= kEmpty) return sent;
  }
  return sent;
}

double LayeredFlow::maximum(std::int64_t query, std::int64_t key) {
  for (std::size_t e = 0; e < edges_.size(); ++e) edges_[e].capacity = original_[e];
  const auto source = static_cast<std::int32_t>(depth_ * tokens_ + query);
  const auto sink = static_cast<std::int32_t>(key);
  double total = 0;
  while (find_levels(source, sink)) {
    next_.assign(leaving_.size(), 0);
    const double sent = push(source, sink, static_cast<double>(tokens_));
    if (!(sent > kEmpty)) break;
    total += sent;
  }
  return total;
}

}  // namespace headscope
