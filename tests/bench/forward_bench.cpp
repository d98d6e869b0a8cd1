// The whole forward and its heavy steps, at the sizes of the tutorials and above.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "core/attention/engine.h"
#include "core/attention/forward.h"
#include "core/attention/preview.h"
#include "core/attention/stage_buffers.h"
#include "core/model/load_inputs.h"
#include "tests/bench/phrases.h"

namespace headscope {
namespace {

Request causal_request(std::int64_t words) {
  Request request;
  request.phrase = phrase_of(words);
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return request;
}

// Arguments: tokens, threads, 0 reference or 1 cpu. d_model 512, 8 heads, causal.
void forward_step(benchmark::State& state) {
  const Request request = causal_request(state.range(0));
  InputCache cache;
  const auto inputs = std::make_shared<const Inputs>(load_inputs(request, cache));
  const auto backend = state.range(2) == 0 ? make_reference_backend() : make_cpu_backend(int(state.range(1)));
  for (auto _ : state) benchmark::DoNotOptimize(forward(request, inputs, backend, CancelToken{}));
}
BENCHMARK(forward_step)
    ->ArgNames({"tokens", "threads", "cpu"})
    ->Args({5, 1, 0})
    ->Args({5, 1, 1})
    ->Args({5, 2, 1})
    ->Args({64, 1, 0})
    ->Args({64, 1, 1})
    ->Args({64, 2, 1})
    ->Args({256, 1, 1})
    ->Args({256, 2, 1})
    ->Args({1024, 1, 1})
    ->Args({1024, 2, 1})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

// A keystroke at the end of a phrase: tokenize, draw the new word, forward.
void keystroke(benchmark::State& state) {
  EngineOptions options;
  options.reuse = true;
  Engine engine(options);
  Request request = causal_request(state.range(0));
  const std::string base = request.phrase;
  int typed = 0;
  for (auto _ : state) {
    request.phrase = base + std::string(std::size_t(1 + typed++ % 8), 'x');
    benchmark::DoNotOptimize(engine.run(request, CancelToken{}));
  }
}
BENCHMARK(keystroke)->Arg(12)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond)->UseRealTime();

// A token in the middle replaced, without a mask; d_model 768, 12 heads. Arguments: tokens, threads, 0 the preview
// alone, 1 the exact run that follows it, or 2 what comes before both: words to vectors.
void replaced_token(benchmark::State& state) {
  Request request;
  request.phrase = phrase_of(state.range(0));
  request.d_model = request.input_dim = 768;
  request.heads = 12;
  request.threads = int(state.range(1));
  request.backend = BackendChoice::cpu;
  InputCache cache;
  const std::shared_ptr<const Backend> backend = make_cpu_backend(request.threads);
  const std::string middle = std::string("w").append(std::to_string(state.range(0) / 2));
  const std::size_t end = request.phrase.find(middle + " ") + middle.size();
  const std::string before = request.phrase.substr(0, end), after = request.phrase.substr(end);
  const auto run = [&](const ForwardOptions& with) {
    return forward(request, std::make_shared<const Inputs>(load_inputs(request, cache)), backend, CancelToken{}, with);
  };
  StageBuffers buffers;
  ForwardOptions reuse;
  reuse.buffers = &buffers;
  reuse.previous = run(reuse);
  int typed = 0, missing = 0;
  for (auto _ : state) {
    state.PauseTiming();
    request.phrase = before + std::string(std::size_t(1 + typed++ % 8), 'x') + after;
    if (state.range(2) == 2) state.ResumeTiming();
    const auto inputs = std::make_shared<const Inputs>(load_inputs(request, cache));
    if (state.range(2) == 2) continue;
    state.ResumeTiming();
    if (state.range(2) == 0) {
      const auto preview = preview_of(reuse.previous, request, inputs, backend, 0, CancelToken{});
      if (preview == nullptr) ++missing;
      benchmark::DoNotOptimize(preview);
    } else {
      reuse.previous = forward(request, inputs, backend, CancelToken{}, reuse);
    }
  }
  state.counters["missing"] = missing;
}
BENCHMARK(replaced_token)
    ->ArgNames({"tokens", "threads", "part"})
    ->Args({1024, 1, 0})
    ->Args({1024, 1, 1})
    ->Args({1024, 1, 2})
    ->Args({1024, 2, 0})
    ->Args({1024, 2, 1})
    ->Unit(benchmark::kMicrosecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
}  // namespace headscope
