// A large map seen from afar: what the window does for one head, without a window.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <span>

#include "core/attention/stage_statistics.h"
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
    ->Args({131072, 0, 1, 1})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

// Minimum, mean ... of scores, masked scores and weights of one causal head, as `run --json` states them. one_pass 0:
// each stage is computed anew and read by strips, as a tensor of unknown making is.
void map_statistics(benchmark::State& state) {
  const std::int64_t tokens = state.range(0);
  const MadeMap map(tokens, true);
  for (auto _ : state) {
    const auto cells = std::make_shared<const OnDemand>(make_cpu_backend(static_cast<int>(state.range(2))), map.query,
                                                        map.key, map.query, map.rule);
    Trace trace;
    for (const StageId stage : {StageId::raw_scores, StageId::scores, StageId::masked_scores, StageId::weights}) {
      trace.stages.push_back(
          {.id = stage,
           .tensor = Tensor::computed(
               cells->score_shape(), {Axis::batch, Axis::head, Axis::query, Axis::key},
               [cells, stage](const Region& region, std::span<float> out) { cells->read_scores(stage, region, out); }),
           .operation = ""});
    }
    if (state.range(1) != 0) trace.on_demand = cells;
    benchmark::DoNotOptimize(stage_statistics(trace));
  }
}
BENCHMARK(map_statistics)
    ->ArgNames({"tokens", "one_pass", "threads"})
    ->ArgsProduct({{8192, 32768}, {0, 1}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace headscope
