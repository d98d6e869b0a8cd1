// What a layer cannot do without, measured alone, to hold its time against: reading its packed weights as often as it
// does, and handing work to the threads.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "core/backend/kernels/softmax.h"
#include "core/base/thread_pool.h"

namespace headscope {
namespace {

// Numbers of so many KB, read again and again by so many threads, each its own part: what stays in a cache stays there,
// as weights do from one forward to the next.
void weights_read(benchmark::State& state) {
  const std::int64_t count = state.range(0) * 1024 / 4, threads = state.range(1), part = count / threads;
  const std::vector<float> numbers(static_cast<std::size_t>(count), 1);
  ThreadPool pool(static_cast<int>(threads));
  for ([[maybe_unused]] const auto each : state) {
    pool.run(threads, threads > 1, [&](std::int64_t task) {
      benchmark::DoNotOptimize(largest_cell(numbers.data() + task * part, {{0, part}, {}}));
    });
  }
  state.counters["GB/s"] =
      benchmark::Counter(4e-9 * static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(weights_read)
    ->ArgNames({"KB", "threads"})
    ->ArgsProduct({{4096, 9216, 16384}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

// Two tasks that do nothing, from the call to its return.
void hand_over(benchmark::State& state) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  for ([[maybe_unused]] const auto each : state) {
    pool.run(2, true, [](std::int64_t task) { benchmark::DoNotOptimize(task); });
  }
}
BENCHMARK(hand_over)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace headscope
