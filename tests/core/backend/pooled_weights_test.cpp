// Weights that are pooled while softmax has them make the pixels of weights that are read.
#include "core/backend/pooled_weights.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/attention/on_demand.h"
#include "core/backend/pyramid.h"
#include "core/base/error.h"
#include "tests/core/backend/made_attention.h"

namespace headscope {
namespace {

constexpr float kWeightsInfinity = std::numeric_limits<float>::infinity();

PyramidSource read_source(const MadeAttention& made, const Tensor& weights, std::int64_t b, std::int64_t h) {
  return {matrix_at(weights, b, h), made.rule.mask, b, h};
}

// The same, which hands its rows out; `rows` counts them.
PyramidSource visited_source(const PyramidSource& read, const std::shared_ptr<const OnDemand>& cells,
                             std::atomic<std::int64_t>& rows) {
  PyramidSource source = read;
  source.visit_weights = [=, &rows, b = read.batch, h = read.head](Range queries, const VisitWeights& visit,
                                                                   const CancelToken& cancel) {
    const auto counted = [&](const WeightRow& row) {
      ++rows;
      visit(row);
    };
    return cells->visit_weights(b, h, queries, counted, cancel);
  };
  return source;
}

std::shared_ptr<const OnDemand> on_demand(const MadeAttention& made, const std::shared_ptr<const Backend>& backend) {
  return std::make_shared<const OnDemand>(backend, made.query, made.key, made.value, made.rule);
}

bool same_pixels(const PooledPixels& a, const PooledPixels& b) {
  if (a.rows != b.rows || a.columns != b.columns || a.counts != b.counts) return false;
  for (std::size_t k = 0; k < a.values.size(); ++k) {
    const bool both_nan = std::isnan(a.values[k]) && std::isnan(b.values[k]);
    if (!both_nan && std::memcmp(&a.values[k], &b.values[k], sizeof(float)) != 0) return false;
  }
  return true;
}

struct Part {
  Range rows, columns;
  PixelCells cells;
};

std::vector<Part> parts_of(const MadeSizes& sizes) {
  const Range rows{0, sizes.query_len}, columns{0, sizes.key_len};
  std::vector<Part> parts = {{rows, columns, {16, 16}}, {rows, columns, {7, 33}}, {rows, columns, {1000, 1000}}};
  if (sizes.query_len > 20) parts.push_back({{3, sizes.query_len - 2}, columns, {5, 17}});
  if (sizes.key_len > 20) parts.push_back({rows, {9, sizes.key_len - 3}, {4, 16}});
  return parts;
}

void weights_expect_same(const MadeAttention& made, const MadeSizes& sizes, const std::string& what) {
  const auto cpu = make_cpu_backend(3);
  const AttentionResults stored = attention_of(*cpu, made);
  for (std::int64_t b = 0; b < sizes.batch; ++b) {
    for (std::int64_t h = 0; h < sizes.heads; ++h) {
      const PyramidSource read = read_source(made, stored.weights, b, h);
      for (const Part& part : parts_of(sizes)) {
        std::atomic<std::int64_t> rows = 0;
        const PyramidSource visited = visited_source(read, on_demand(made, cpu), rows);
        const auto pixels_of = [&](const PyramidSource& source) {
          return pool_cells(source, part.rows, part.columns, part.cells, Pooling::max, CancelToken());
        };
        ASSERT_TRUE(same_pixels(pixels_of(visited), pixels_of(read)))
            << what << " head " << b << "." << h << ", pixels of " << part.cells.rows << " x " << part.cells.columns;
        const bool runs = !made.rule.mask->hidden.any() || made.rule.mask->hidden.visible_keys(b, h, 0).has_value();
        ASSERT_EQ(rows, runs ? part.rows.size() : 0) << what;
      }
    }
  }
}

TEST(PooledWeights, AreThePixelsOfWeightsThatAreReadUnderEveryRule) {
  const MadeSizes sizes{2, 70, 75, 4, 2, 20, 20};
  for (const Options& options : attention_rules())
    weights_expect_same(made_attention(sizes, options), sizes, text_of(options));
}

TEST(PooledWeights, AreThePixelsOfWeightsThatAreReadAtEverySize) {
  for (const MadeSizes& sizes : attention_sizes()) {
    for (const Options& options : {Options{}, Options{{"mask", "causal"}}, Options{{"mask", "window:30"}}}) {
      weights_expect_same(made_attention(sizes, options), sizes, text_of(options));
    }
  }
}

TEST(PooledWeights, NanAndInfinityInKeysShowAsTheyDoInWeightsThatAreRead) {
  const MadeSizes sizes{1, 70, 75, 2, 1, 20, 20};
  for (const Options& options : attention_rules()) {
    for (const float broken : {std::numeric_limits<float>::quiet_NaN(), kWeightsInfinity, -kWeightsInfinity}) {
      MadeAttention made = made_attention(sizes, options);
      made.key.mutable_data()[40 * 20 + 3] = broken;
      made.query.mutable_data()[12 * 20] = broken;
      weights_expect_same(made, sizes, text_of(options) + ", " + std::to_string(broken));
    }
  }
}

TEST(PooledWeights, MasksOfSingleCellsAreRead) {
  const MadeSizes sizes{1, 40, 50, 2, 2, 8, 8};
  std::vector<float> kept(40 * 50, 1.0F);
  for (std::size_t k = 0; k < kept.size(); k += 3) kept[k] = 0;
  MaskFile file{.path = "cells.npy", .values = tensor_of({40, 50}, kept)};
  file.is_whole = true;
  weights_expect_same(made_attention(sizes, {{"mask", "causal"}}, file), sizes, "a file of cells");
}

// Lines of pixels that share cells, leave some out, or have none, as those of a picture whose pixels are no whole
// number of cells.
TEST(PooledWeights, OfAnyLinesAreThoseOfTheirCells) {
  const MadeSizes sizes{1, 70, 75, 2, 1, 20, 20};
  const PixelLines lines{{{0, 8}, {7, 15}, {20, 21}, {21, 70}, {70, 70}}, {{1, 30}, {29, 40}, {50, 75}, {75, 75}}};
  for (const Options& options : attention_rules()) {
    for (const float broken : {0.0F, std::numeric_limits<float>::quiet_NaN()}) {
      MadeAttention made = made_attention(sizes, options);
      made.query.mutable_data()[12 * 20] += broken;
      const auto cpu = make_cpu_backend(3);
      const AttentionResults stored = attention_of(*cpu, made);
      const PyramidSource source = read_source(made, stored.weights, 0, 1);
      WeightPixels pixels(source, lines);
      const auto add = [&](const WeightRow& row) { pixels.add(row); };
      ASSERT_TRUE(on_demand(made, cpu)->visit_weights(0, 1, {0, 70}, add, CancelToken()));
      const PooledPixels found = pixels.pixels();
      PooledPixels wanted(std::ssize(lines.rows), std::ssize(lines.columns));
      for (std::size_t at = 0; at < wanted.values.size(); ++at) {
        const Range rows = lines.rows[at / lines.columns.size()], columns = lines.columns[at % lines.columns.size()];
        if (rows.size() == 0 || columns.size() == 0) continue;
        const PooledPixels one =
            pool_cells(source, rows, columns, {rows.size(), columns.size()}, Pooling::max, CancelToken());
        wanted.values[at] = one.values[0];
        wanted.counts[at] = one.counts[0];
      }
      EXPECT_TRUE(same_pixels(found, wanted)) << text_of(options) << " " << broken;
    }
  }
}

TEST(PooledWeights, LeaveTheStatisticsOfTheirRowsKnown) {
  const MadeSizes sizes{1, 100, 100, 1, 1, 16, 16};
  const MadeAttention made = made_attention(sizes, {{"mask", "causal"}});
  const auto cpu = make_cpu_backend(2);
  const AttentionResults stored = attention_of(*cpu, made);
  const auto cells = on_demand(made, cpu);
  std::atomic<std::int64_t> rows = 0;
  const PyramidSource source = visited_source(read_source(made, stored.weights, 0, 0), cells, rows);
  pool_cells(source, {3, 20}, {0, 100}, {16, 16}, Pooling::max, CancelToken());
  EXPECT_EQ(cells->known_rows(), 0) << "a part of a block of rows";
  pool_cells(source, {16, 100}, {0, 100}, {16, 16}, Pooling::max, CancelToken());
  EXPECT_EQ(cells->known_rows(), 84);
  const RowStatistics found = cells->statistics({{0, 1}, {0, 1}, {16, 100}});
  EXPECT_EQ(found.max.values(), stored.statistics.max.sliced(2, 16, 100).dense_copy().values());
  EXPECT_EQ(found.sum.values(), stored.statistics.sum.sliced(2, 16, 100).dense_copy().values());
}

TEST(PooledWeights, AreReadWhereThePixelsAreMeansOrNarrowAndOfABackendWithoutAPass) {
  const MadeSizes sizes{1, 64, 64, 1, 1, 16, 16};
  const MadeAttention made = made_attention(sizes, {{"mask", "causal"}});
  for (const auto& backend : {make_cpu_backend(1), make_reference_backend()}) {
    const AttentionResults stored = attention_of(*backend, made);
    std::atomic<std::int64_t> rows = 0;
    const PyramidSource read = read_source(made, stored.weights, 0, 0);
    const PyramidSource source = visited_source(read, on_demand(made, backend), rows);
    const auto expect_read = [&](PixelCells cells, Pooling pooling) {
      EXPECT_TRUE(same_pixels(pool_cells(source, {0, 64}, {0, 64}, cells, pooling, CancelToken()),
                              pool_cells(read, {0, 64}, {0, 64}, cells, pooling, CancelToken())));
      EXPECT_EQ(rows, 0);
    };
    expect_read({16, 16}, Pooling::mean);
    expect_read({16, 15}, Pooling::max);
    if (backend->name() == "reference") expect_read({16, 16}, Pooling::max);
  }
}

TEST(PooledWeights, EndWhenTheyAreCancelled) {
  const MadeSizes sizes{1, 64, 64, 1, 1, 16, 16};
  const MadeAttention made = made_attention(sizes, {{"mask", "causal"}});
  const auto cpu = make_cpu_backend(2);
  std::atomic<std::int64_t> rows = 0;
  const PyramidSource source =
      visited_source(read_source(made, attention_of(*cpu, made).weights, 0, 0), on_demand(made, cpu), rows);
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(pool_cells(source, {0, 64}, {0, 64}, {16, 16}, Pooling::max, cancel), Cancelled);
}

}  // namespace
}  // namespace headscope
