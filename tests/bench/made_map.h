// One head of weights that are computed when they are read, for benchmarks of large maps.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "core/attention/on_demand.h"
#include "core/backend/pyramid.h"

namespace headscope {

inline Tensor made_heads(std::int64_t tokens, std::uint32_t state) {
  Tensor tensor = Tensor::zeros({1, 1, tokens, 64}, {Axis::batch, Axis::head, Axis::position, Axis::feature});
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    state = state * 1664525U + 1013904223U;
    tensor.mutable_data()[i] = static_cast<float>(state >> 8) / 8388608.0F - 1;
  }
  return tensor;
}

// Queries and keys of so many tokens, 64 features, and whether a causal mask hides half of them.
struct MadeMap {
  MadeMap(std::int64_t count, bool causal) : tokens(count), query(made_heads(count, 1)), key(made_heads(count, 2)) {
    MaskRule ordered;
    ordered.open = 0;
    rule.scale = 0.125;
    rule.mask = std::make_shared<const Mask>(
        Mask{causal ? HiddenCells(1, 1, count, count, ordered) : HiddenCells(1, 1, count, count), {}});
  }

  // Weights of which nothing is known yet.
  std::pair<std::shared_ptr<const OnDemand>, PyramidSource> source(std::shared_ptr<const Backend> backend) const {
    const auto cells = std::make_shared<const OnDemand>(std::move(backend), query, key, Tensor(), rule);
    PyramidSource source;
    source.matrix = Tensor::computed(
        {tokens, tokens}, {Axis::query, Axis::key}, [cells](const Region& region, std::span<float> out) {
          cells->read_scores(StageId::weights, {{0, 1}, {0, 1}, region[0], region[1]}, out);
        });
    source.mask = rule.mask;
    source.visit_weights = [cells](Range rows, const VisitWeights& visit, const CancelToken& cancel) {
      return cells->visit_weights(0, 0, rows, visit, cancel);
    };
    return {cells, source};
  }

  const std::int64_t tokens;
  const Tensor query, key;
  ScoreRule rule;
};

}  // namespace headscope
