// What whole models cost: the first forward of all, a keystroke (every layer, and the predictions after the last
// token), and, to hold them against, reading the bytes of the weights once. The folder is named by HEADSCOPE_MODEL
// (make_gpt2_checkpoint.py and make_llama_checkpoint.py write some); without it nothing is measured.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "core/attention/engine.h"
#include "core/attention/output_head.h"
#include "core/backend/kernels/softmax.h"
#include "core/base/thread_pool.h"
#include "core/io/mapped_file.h"

namespace headscope {
namespace {

// HEADSCOPE_MODEL, or "" and nothing is measured.
std::string folder_of_model(benchmark::State& state) {
  const char* folder = std::getenv("HEADSCOPE_MODEL");
  if (folder == nullptr) state.SkipWithError("HEADSCOPE_MODEL names no folder");
  return folder == nullptr ? "" : folder;
}

// Megabytes of this process that are in memory; of mapped files too.
double resident_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmRSS:" && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

// Every number of `model.safetensors` once, as the kernels could read it at best: mapped anew, by all threads.
void bytes_read_once(benchmark::State& state) {
  const std::string folder = folder_of_model(state);
  if (folder.empty()) return;
  ThreadPool pool(static_cast<int>(state.range(0)));
  for ([[maybe_unused]] const auto each : state) {
    const auto file = MappedFile::open(folder + "/model.safetensors");
    constexpr std::size_t kPart = std::size_t{1} << 20;
    const std::span<const std::byte> bytes = file->bytes();
    pool.run(static_cast<std::int64_t>(bytes.size() / kPart), true, [&](std::int64_t part) {
      const auto* const numbers = reinterpret_cast<const float*>(bytes.data() + static_cast<std::size_t>(part) * kPart);
      benchmark::DoNotOptimize(largest_cell(numbers, {{0, kPart / sizeof(float)}, {}}));
    });
  }
}
BENCHMARK(bytes_read_once)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

// Opens the model and computes all layers, with nothing kept from before: range: tokens, threads. `resident` is what
// the process holds afterwards, in MB.
void first_forward(benchmark::State& state) {
  const std::string folder = folder_of_model(state);
  if (folder.empty()) return;
  Request request;
  request.model = folder;
  request.threads = static_cast<int>(state.range(1));
  for (std::int64_t i = 0; i < state.range(0); ++i) request.token_ids.push_back(100 + 37 * i % 1000);
  for ([[maybe_unused]] const auto each : state) {
    EngineOptions options;
    options.reuse = options.whole_model = true;
    Engine engine(options);
    const std::shared_ptr<const Trace> shown = engine.run(request, CancelToken());
    state.PauseTiming();
    state.counters["resident"] = resident_megabytes();
    state.ResumeTiming();
  }
}
BENCHMARK(first_forward)
    ->ArgNames({"tokens", "threads"})
    ->ArgsProduct({{1, 16, 64, 512, 1024}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// A model whose first token is another one every time, so that all of it is computed, the ten most probable next tokens
// too; its weights stay in memory. range: tokens, threads.
void warm_forward(benchmark::State& state) {
  const std::string folder = folder_of_model(state);
  if (folder.empty()) return;
  Request request;
  request.model = folder;
  request.threads = static_cast<int>(state.range(1));
  for (std::int64_t i = 0; i < state.range(0); ++i) request.token_ids.push_back(100 + 37 * i % 1000);
  EngineOptions options;
  options.reuse = options.whole_model = true;
  Engine engine(options);
  std::int64_t first = 0;
  const auto compute = [&] {
    request.token_ids.front() = first = (first + 1) % 50;
    const std::shared_ptr<const Trace> shown = engine.run(request, CancelToken());
    const auto top =
        predictions(*shown->model, 0, predicted_positions(*shown->model), 10, *shown->model->backend, CancelToken());
    benchmark::DoNotOptimize(top.data());
  };
  compute();
  compute();
  for ([[maybe_unused]] const auto each : state) compute();
}
BENCHMARK(warm_forward)
    ->ArgNames({"tokens", "threads"})
    ->ArgsProduct({{1, 4, 8, 16, 64, 512, 1024}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

enum Edit : std::int64_t { kAppend, kReplaceFirst, kReplaceMiddle, kChangeLayer, kAblate };

// range: tokens, Edit. The phrase alternates between two, so that every run has something to do.
void keystroke(benchmark::State& state) {
  const std::string folder = folder_of_model(state);
  if (folder.empty()) return;
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
