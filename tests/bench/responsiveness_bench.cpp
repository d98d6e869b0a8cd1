// How soon a run ends that nobody wants any more, and what a small forward costs while others use every core.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/forward.h"
#include "core/base/cancel.h"
#include "core/model/load_inputs.h"
#include "tests/bench/phrases.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

// The median in milliseconds and the worst, as counters.
void report(benchmark::State& state, std::vector<double> seconds) {
  if (seconds.empty()) return;
  std::sort(seconds.begin(), seconds.end());
  state.counters["median_ms"] = seconds[seconds.size() / 2] * 1e3;
  state.counters["worst_ms"] = seconds.back() * 1e3;
}

// From cancel() to the end of the run, at moments spread over a whole run. d_model 1024, 16 heads, causal. The first
// word is always another one, so that every row is computed anew, in memory that is there. Arguments: tokens, threads.
void cancelled_run(benchmark::State& state) {
  Request request;
  request.d_model = request.input_dim = 1024;
  request.heads = 16;
  request.threads = int(state.range(1));
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  request.backend = BackendChoice::cpu;
  EngineOptions options;
  options.reuse = true;
  Engine engine(options);
  int moment = 0;
  const auto run = [&](const CancelToken& token) {
    request.phrase = fmt::format("x{} {}", moment, phrase_of(state.range(0) - 1));
    benchmark::DoNotOptimize(engine.run(request, token));
  };
  for (; moment < 3; ++moment) run({});  // two traces take turns with the memory
  const auto whole = Clock::now();
  run({});
  const double run_seconds = seconds_since(whole);
  std::vector<double> waits;
  int too_late = 0;
  for (auto _ : state) {
    const double share = 0.6180339887 * ++moment;  // the golden ratio's multiples fall evenly everywhere
    CancelToken token;
    std::atomic<bool> ended = false;
    std::thread runner([&] {
      try {
        run(token);
        ended = true;
      } catch (const Cancelled&) {
      }
    });
    std::this_thread::sleep_for(std::chrono::duration<double>(run_seconds * (share - static_cast<int>(share))));
    const bool late = ended;
    const auto from = Clock::now();
    token.cancel();
    runner.join();
    const double wait = seconds_since(from);
    state.SetIterationTime(wait);
    late ? void(++too_late) : waits.push_back(wait);
  }
  report(state, waits);
  state.counters["run_ms"] = run_seconds * 1e3;
  state.counters["ended_before"] = too_late;
}
BENCHMARK(cancelled_run)
    ->ArgNames({"tokens", "threads"})
    ->Args({1024, 1})
    ->Args({1024, 2})
    ->Args({4096, 1})
    ->Args({4096, 2})
    ->Iterations(60)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();

// Threads that do nothing but use a core each.
class Spinners {
 public:
  explicit Spinners(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        while (!ended_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  ~Spinners() {
    ended_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Spinners(const Spinners&) = delete;
  Spinners& operator=(const Spinners&) = delete;

 private:
  std::atomic<bool> ended_ = false;
  std::vector<std::thread> threads_;
};

// A forward of 4 tokens (d_model 512, 8 heads) while so many other threads spin. Arguments: threads of the forward, of
// others.
void beside_others(benchmark::State& state) {
  Request request;
  request.phrase = phrase_of(4);
  InputCache cache;
  const auto inputs = std::make_shared<const Inputs>(load_inputs(request, cache));
  const auto backend = make_cpu_backend(int(state.range(0)));
  benchmark::DoNotOptimize(forward(request, inputs, backend, CancelToken{}));
  const Spinners others(state.range(1));
  std::vector<double> times;
  for (auto _ : state) {
    const auto from = Clock::now();
    benchmark::DoNotOptimize(forward(request, inputs, backend, CancelToken{}));
    times.push_back(seconds_since(from));
    state.SetIterationTime(times.back());
  }
  report(state, times);
}
BENCHMARK(beside_others)
    ->ArgNames({"threads", "others"})
    ->Args({1, 0})
    ->Args({2, 0})
    ->Args({1, 2})
    ->Args({2, 2})
    ->Iterations(20000)
    ->Unit(benchmark::kMicrosecond)
    ->UseManualTime();

}  // namespace
}  // namespace headscope
