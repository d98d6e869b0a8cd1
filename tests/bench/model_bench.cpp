// What a keystroke costs on a whole model: every layer, and the predictions after the last token. The folder is named
// by HEADSCOPE_MODEL (make_gpt2_checkpoint.py writes one); without it nothing is measured.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "core/attention/engine.h"
#include "core/attention/output_head.h"

namespace headscope {
namespace {

enum Edit : std::int64_t { kAppend, kReplaceFirst, kReplaceMiddle, kChangeLayer, kAblate };

// range: tokens, Edit. The phrase alternates between two, so that every run has something to do.
void keystroke(benchmark::State& state) {
  const char* folder = std::getenv("HEADSCOPE_MODEL");
  if (folder == nullptr) {
    state.SkipWithError("HEADSCOPE_MODEL names no folder");
    return;
  }
  const std::int64_t tokens = state.range(0), edit = state.range(1);
  Request before;
  before.model = folder;
  for (std::int64_t i = 0; i < tokens; ++i) before.token_ids.push_back(100 + 37 * i % 1000);
  Request after = before;
  if (edit == kAppend) before.token_ids.pop_back();
  if (edit == kReplaceFirst) after.token_ids.front() = 5;
  if (edit == kReplaceMiddle) after.token_ids[static_cast<std::size_t>(tokens / 2)] = 5;
  if (edit == kChangeLayer) after.layer = 0;
  if (edit == kAblate) after.ablate = {{9, 3}};
  EngineOptions options;
  options.reuse = options.whole_model = true;
  Engine engine(options);
  std::shared_ptr<const Trace> shown = engine.run(before, CancelToken());
  const auto predict = [&] {
    const auto top =
        predictions(*shown->model, 0, predicted_positions(*shown->model), 10, *shown->model->backend, CancelToken());
    benchmark::DoNotOptimize(top.data());
  };
  shown = engine.run(after, CancelToken());
  predict();
  for ([[maybe_unused]] const auto each : state) {
    state.PauseTiming();
    shown = engine.run(before, CancelToken());
    state.ResumeTiming();
    shown = engine.run(after, CancelToken());
    predict();
  }
}
BENCHMARK(keystroke)
    ->ArgNames({"tokens", "edit"})
    ->ArgsProduct({{16, 64, 256}, {kAppend, kReplaceFirst, kReplaceMiddle, kChangeLayer, kAblate}})
    ->UseRealTime()
    ->MinTime(1.0)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace headscope
