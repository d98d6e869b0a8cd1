// The whole forward and its heavy steps, at the sizes of the tutorials and above.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "core/attention/engine.h"
#include "core/attention/forward.h"

namespace headscope {
namespace {

std::string phrase_of(std::int64_t words) {
  std::string phrase;
  for (std::int64_t i = 0; i < words; ++i) phrase += "w" + std::to_string(i) + " ";
  return phrase;
}

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

}  // namespace
}  // namespace headscope
