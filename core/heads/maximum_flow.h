// The maximum flow from a token of the last layer down to a token of the input.
#pragma once

#include <cstdint>
#include <vector>

namespace headscope {

// Tokens of L + 1 levels; from token i of level l + 1 to token j of level l an edge with capacities[l][i * tokens + j].
// Dinic's algorithm, so that the result is exact up to rounding of the sums.
class LayeredFlow {
 public:
  // capacities: one [tokens, tokens] matrix of finite numbers >= 0 for every layer, the first layer first.
  LayeredFlow(std::int64_t tokens, const std::vector<std::vector<double>>& capacities);

  // From token `query` of the top level to token `key` of the bottom level.
  double maximum(std::int64_t query, std::int64_t key);

 private:
  struct Edge {
    std::int32_t to = 0;
    double capacity = 0;
  };
  void add(std::int64_t from, std::int64_t to, double capacity);
  bool find_levels(std::int32_t source, std::int32_t sink);
  double push(std::int32_t node, std::int32_t sink, double most);

  std::int64_t tokens_, depth_;
  std::vector<std::vector<std::int32_t>> leaving_;  // of each node: indices of edges; edge e ^ 1 is its reverse
  std::vector<Edge> edges_;
  std::vector<double> original_;
  std::vector<std::int32_t> level_;
  std::vector<std::size_t> next_;
};

}  // namespace headscope
