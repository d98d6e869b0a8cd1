#include "core/circuits/composition.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/circuits/reduced_maps.h"

namespace headscope {
namespace {

// One side of the pairs of a layer's heads: rows of every head below each other, and the norm of each head's.
struct Side {
  Tensor rows;  // [1, heads * rows a head, d_model]
  std::int64_t rows_a_head = 0;
  std::vector<double> norms;
};

// R of `folded` times `kept`, of every head.
Side side_of(const HeadMaps& maps, const Tensor& folded, const Tensor& kept) {
  Side side;
  std::vector<float> values;
  const auto number = [&](const Tensor& of, std::int64_t head) {
    return of.dim(0) == maps.heads() ? head : maps.group_of(head);
  };
  for (std::int64_t h = 0; h < maps.heads(); ++h) {
    const ReducedMap reduced = reduced_map(folded, number(folded, h), kept, number(kept, h));
    side.rows_a_head = reduced.rows;
    side.norms.push_back(reduced.norm);
    values.insert(values.end(), reduced.values.begin(), reduced.values.end());
  }
  side.rows = Tensor::of({1, maps.heads() * side.rows_a_head, kept.dim(2)},
                         {Axis::batch, Axis::position, Axis::feature}, std::move(values));
  return side;
}

// Scores of every head of `later` with every head of `earlier`, into the matrix of all heads.
struct Target {
  std::vector<float>& scores;
  std::int64_t columns = 0;  // layers * heads
  std::int64_t first_row = 0, first_column = 0;
};

void add_scores(const Side& later, const Side& earlier, const Backend& backend, const CancelToken& cancel,
                const Target& target) {
  const std::int64_t width = earlier.rows.dim(1);
  const Tensor writers = earlier.rows.reshaped({width, earlier.rows.dim(2)}, {Axis::position, Axis::feature});
  const std::vector<float> products = backend.linear(later.rows, writers, Tensor(), cancel).values();
  for (std::size_t h2 = 0; h2 < later.norms.size(); ++h2) {
    for (std::size_t h1 = 0; h1 < earlier.norms.size(); ++h1) {
      double squares = 0;
      for (std::int64_t row = 0; row < later.rows_a_head; ++row) {
        const std::int64_t begin = (static_cast<std::int64_t>(h2) * later.rows_a_head + row) * width +
                                   static_cast<std::int64_t>(h1) * earlier.rows_a_head;
        for (std::int64_t k = 0; k < earlier.rows_a_head; ++k) {
          const double each = products[static_cast<std::size_t>(begin + k)];
          squares += each * each;
        }
      }
      const double norms = later.norms[h2] * earlier.norms[h1];
      const std::int64_t row = target.first_row + static_cast<std::int64_t>(h2);
      target.scores[static_cast<std::size_t>(row * target.columns + target.first_column) + h1] =
          norms == 0 ? 0 : static_cast<float>(std::sqrt(squares) / norms);
    }
  }
}

}  // namespace

Composition composition(std::int64_t layers, const std::function<HeadMaps(std::int64_t layer)>& maps_of,
                        const Backend& backend, const CancelToken& cancel,
                        const std::function<void(std::int64_t done, std::int64_t count)>& progress) {
  Composition found;
  found.layers = layers;
  std::vector<Side> writers;
  std::array<std::vector<float>, 3> scores;
  std::int64_t columns = 0;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    if (progress) progress(layer, layers);
    cancel.check();
    const HeadMaps maps = maps_of(layer);
    if (layer == 0) {
      found.heads = maps.heads();
      found.random = 1 / std::sqrt(static_cast<double>(maps.dimensions));
      columns = layers * found.heads;
      for (std::vector<float>& each : scores) each.resize(static_cast<std::size_t>(columns * columns));
    }
    if (layer > 0) {
      const std::pair<const Tensor*, const Tensor*> sides[] = {
          {&maps.key, &maps.query}, {&maps.query, &maps.key}, {&maps.output, &maps.value}};
      for (std::size_t kind = 0; kind < 3; ++kind) {
        const Side reader = side_of(maps, *sides[kind].first, *sides[kind].second);
        for (std::size_t from = 0; from < writers.size(); ++from) {
          cancel.check();
          add_scores(reader, writers[from], backend, cancel,
                     {scores[kind], columns, layer * found.heads, static_cast<std::int64_t>(from) * found.heads});
        }
      }
    }
    if (layer + 1 < layers) writers.push_back(side_of(maps, maps.value, maps.output));
  }
  for (std::size_t kind = 0; kind < 3; ++kind) {
    found.scores[kind] = Tensor::of({columns, columns}, {Axis::query, Axis::key}, std::move(scores[kind]));
  }
  return found;
}

std::vector<ComposedPair> strongest_pairs(const Composition& found, CompositionKind kind, std::size_t most) {
  const std::vector<float> scores = found.of(kind).values();
  const auto columns = static_cast<std::size_t>(found.layers * found.heads);
  const auto heads = static_cast<std::size_t>(found.heads);
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (k % columns / heads < k / columns / heads) order.push_back(k);
  }
  const std::size_t count = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const bool nan_a = std::isnan(scores[a]), nan_b = std::isnan(scores[b]);
                      if (nan_a != nan_b) return nan_a;
                      return nan_a || scores[a] == scores[b] ? a < b : scores[a] > scores[b];
                    });
  std::vector<ComposedPair> pairs;
  for (std::size_t n = 0; n < count; ++n) {
    const auto row = static_cast<std::int64_t>(order[n] / columns),
               column = static_cast<std::int64_t>(order[n] % columns);
    pairs.push_back({row / found.heads, row % found.heads, column / found.heads, column % found.heads,
                     static_cast<double>(scores[order[n]])});
  }
  return pairs;
}

}  // namespace headscope
