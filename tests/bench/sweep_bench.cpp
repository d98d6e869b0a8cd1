// A sweep over every head of a whole model, against as many runs of the whole model. The folder is named by
// HEADSCOPE_MODEL (make_gpt2_checkpoint.py writes one); without it nothing is measured.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/sweep/sweep.h"

namespace headscope {
namespace {

// Two texts of 16 tokens; range: the first token in which they differ.
SweepQuestion question_of(const char* folder, std::int64_t first) {
  SweepQuestion question;
  question.patched.model = folder;
  for (std::int64_t i = 0; i < 16; ++i) question.patched.token_ids.push_back(100 + 37 * i);
  question.source = question.patched;
  for (std::size_t i = static_cast<std::size_t>(first); i < 16; ++i) question.source.token_ids[i] += 5;
  question.metric = "logit:300-400";
  return question;
}

void heads(benchmark::State& state, bool whole_runs) {
  const char* folder = std::getenv("HEADSCOPE_MODEL");
  if (folder == nullptr) {
    state.SkipWithError("HEADSCOPE_MODEL names no folder");
    return;
  }
  const SweepQuestion question = question_of(folder, state.range(0));
  EngineOptions options;
  options.whole_model = true;
  Engine engine(options);
  const auto first = engine.run(question.patched, CancelToken());  // files are open
  const SweepMetric metric{SweepMetric::Kind::logit, {300, 400}};
  for ([[maybe_unused]] const auto each : state) {
    if (!whole_runs) {
      benchmark::DoNotOptimize(sweep({}, question, CancelToken()).cells.data());
      continue;
    }
    const auto runs = static_cast<std::int64_t>(first->model->layers.size()) * first->num_heads();
    for (std::int64_t k = 0; k < runs; ++k) {
      const auto trace = engine.run(question.patched, CancelToken());
      benchmark::DoNotOptimize(sweep_metric_of(*trace->model, metric, 15, {}, CancelToken()));
    }
  }
}

void sweep_of_heads(benchmark::State& state) {
  heads(state, false);
}
void whole_runs(benchmark::State& state) {
  heads(state, true);
}
BENCHMARK(sweep_of_heads)->ArgName("differs")->Arg(0)->Arg(8)->UseRealTime()->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(whole_runs)->ArgName("differs")->Arg(0)->UseRealTime()->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace headscope
