// A large map seen from afar: what the window does for one head, without a window.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "tests/bench/made_map.h"

namespace headscope {
namespace {

// One head of weights, 64 features, from its queries and keys to its base pixels. Arguments: tokens; 0: the largest
// cell of each pixel, 1: the mean; 0: no mask, 1: causal; how often all of it is gone through.
void overview(benchmark::State& state) {
  const std::int64_t tokens = state.range(0);
  const auto pooling = state.range(1) == 0 ? Pooling::max : Pooling::mean;
  const auto backend = make_cpu_backend(0);
  const MadeMap map(tokens, state.range(2) != 0);
  const std::int64_t each = std::int64_t{1} << base_level(tokens), tile = each * kTilePixels;
  for (auto _ : state) {
    const PyramidSource source = map.source(backend).second;
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
