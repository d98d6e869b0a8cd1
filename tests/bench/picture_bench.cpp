// From numbers to pixels: what a frame or an exported picture costs without OpenGL.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "core/picture/color_map.h"
#include "core/picture/heatmap.h"

namespace headscope {
namespace {

// Something like weights: positive, every row with a few large ones.
Tensor made_weights(std::int64_t size) {
  std::vector<float> values(static_cast<std::size_t>(size * size));
  std::uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    const float unit = static_cast<float>(state >> 8) / 16777216.0F;
    value = unit * unit * unit;
  }
  return Tensor::of({size, size}, {Axis::query, Axis::key}, std::move(values));
}

void color_of_values(benchmark::State& state) {
  const Tensor matrix = made_weights(512);
  std::vector<Rgba> pixels(static_cast<std::size_t>(matrix.size()));
  for (auto _ : state) {
    for (std::int64_t i = 0; i < matrix.size(); ++i) {
      pixels[static_cast<std::size_t>(i)] = color_at(ColorMap::viridis, matrix.data()[i]);
    }
    benchmark::DoNotOptimize(pixels.data());
  }
  state.SetItemsProcessed(state.iterations() * matrix.size());
}
BENCHMARK(color_of_values)->Unit(benchmark::kMicrosecond);

HeatmapSpec whole_map(std::int64_t size, int pixels) {
  HeatmapSpec spec;
  spec.matrix = made_weights(size);
  spec.rows = spec.columns = static_cast<double>(size);
  spec.width = spec.height = pixels;
  return spec;
}

// Arguments: cells, pixels of each axis. Magnified, one to one, and 16 cells a pixel.
void heatmap(benchmark::State& state) {
  const HeatmapSpec spec = whole_map(state.range(0), static_cast<int>(state.range(1)));
  for (auto _ : state) benchmark::DoNotOptimize(draw_heatmap(spec));
  state.SetItemsProcessed(state.iterations() * state.range(1) * state.range(1));
}
BENCHMARK(heatmap)
    ->ArgNames({"cells", "pixels"})
    ->Args({12, 512})
    ->Args({512, 512})
    ->Args({2048, 512})
    ->Unit(benchmark::kMillisecond);

void heatmap_row_ranges(benchmark::State& state) {
  HeatmapSpec spec = whole_map(512, 512);
  spec.range.per_row = true;
  for (auto _ : state) benchmark::DoNotOptimize(draw_heatmap(spec));
}
BENCHMARK(heatmap_row_ranges)->Unit(benchmark::kMillisecond);

void range_of_values(benchmark::State& state) {
  const Tensor matrix = made_weights(2048);
  for (auto _ : state) benchmark::DoNotOptimize(automatic_range(matrix, false, true));
  state.SetItemsProcessed(state.iterations() * matrix.size());
}
BENCHMARK(range_of_values)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace headscope
