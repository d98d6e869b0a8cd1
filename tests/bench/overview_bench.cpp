// A large map seen from afar: what the window does for one head, without a window.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>

#include "core/attention/on_demand.h"
#include "core/picture/pyramid.h"

namespace headscope {
namespace {

Tensor made(Shape shape, std::uint32_t state) {
  Tensor tensor = Tensor::zeros(shape, {Axis::batch, Axis::head, Axis::position, Axis::feature});
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    state = state * 1664525U + 1013904223U;
    tensor.mutable_data()[i] = static_cast<float>(state >> 8) / 8388608.0F - 1;
  }
  return tensor;
}

// One head of weights, 64 features, from its queries and keys to its base pixels. Arguments: tokens; 0: the largest
// cell of each pixel, 1: the mean; 0: no mask, 1: causal; how often all of it is gone through.
void overview(benchmark::State& state) {
  const std::int64_t tokens = state.range(0);
  const auto pooling = state.range(1) == 0 ? Pooling::max : Pooling::mean;
  const auto backend = make_cpu_backend(0);
  const Tensor query = made({1, 1, tokens, 64}, 1), key = made({1, 1, tokens, 64}, 2);
  ScoreRule rule;
  rule.scale = 0.125;
  MaskRule causal;
  causal.open = 0;
  rule.mask = std::make_shared<const Mask>(
      Mask{state.range(2) == 0 ? HiddenCells(1, 1, tokens, tokens) : HiddenCells(1, 1, tokens, tokens, causal), {}});
  const std::int64_t each = std::int64_t{1} << base_level(tokens), tile = each * kTilePixels;
  for (auto _ : state) {
    const auto cells = std::make_shared<const OnDemand>(backend, query, key, Tensor(), rule);
    PyramidSource source;
    source.matrix = Tensor::computed(
        {tokens, tokens}, {Axis::query, Axis::key}, [cells](const Region& region, std::span<float> out) {
          cells->read_scores(StageId::weights, {{0, 1}, {0, 1}, region[0], region[1]}, out);
        });
    source.mask = rule.mask;
    for (std::int64_t time = 0; time < state.range(3); ++time) {
      for (std::int64_t row = 0; row < tokens; row += tile) {
        const Range rows{row, std::min(row + tile, tokens)};
        benchmark::DoNotOptimize(pool_cells(source, rows, {0, tokens}, {each, each}, pooling, CancelToken()));
      }
    }
  }
}
BENCHMARK(overview)
    ->ArgNames({"tokens", "mean", "causal", "times"})
    ->Args({8192, 0, 0, 1})
    ->Args({8192, 0, 1, 1})
    ->Args({8192, 1, 1, 1})
    ->Args({32768, 0, 1, 1})
    ->Args({32768, 0, 1, 2})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
}  // namespace headscope
