#include "core/backend/kernels/peak.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/backend/kernels/peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Twelve chains hide the latency of an addition (4 to 5 cycles, two units) and fit into sixteen registers.
constexpr int kChains = 12;

template <int... chain>
HWY_INLINE float run_chains(std::int64_t steps, float factor, std::integer_sequence<int, chain...>) {
  using D = hn::ScalableTag<float>;
  const D d;
  const auto by = hn::Set(d, factor);
  hn::Vec<D> sums[kChains] = {hn::Set(d, static_cast<float>(chain))...};
  for (std::int64_t i = 0; i < steps; ++i) {
    ((sums[chain] = hn::MulAdd(sums[chain], by, by)), ...);
    ((sums[chain] = hn::MulAdd(sums[chain], by, by)), ...);
  }
  auto total = hn::Zero(d);
  ((total = hn::Add(total, sums[chain])), ...);
  return hn::GetLane(hn::SumOfLanes(d, total));
}

// Runs `steps` steps; returns the operations that those were. `result` keeps them from being left out.
double RunChains(std::int64_t steps, float factor, float* result) {
  *result = run_chains(steps, factor, std::make_integer_sequence<int, kChains>());
  return 2.0 * 2.0 * kChains * static_cast<double>(hn::Lanes(hn::ScalableTag<float>())) * static_cast<double>(steps);
}

}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {

HWY_EXPORT(RunChains);

double measured_peak_gflops(int threads) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 24;
  constexpr std::int64_t kSteps = 100'000;  // about 1 ms
  const auto count = static_cast<std::size_t>(std::max(1, threads));
  struct alignas(64) Run {
    Clock::time_point begin, end;
    double operations = 0;
    float result = 0;
  };
  std::vector<Run> runs(count);
  double best = 0;
  std::barrier ready(static_cast<std::ptrdiff_t>(count));
  std::barrier done(static_cast<std::ptrdiff_t>(count), [&]() noexcept {
    Clock::time_point begin = runs[0].begin;
    Clock::time_point end = runs[0].end;
    double operations = 0;
    for (const Run& run : runs) {
      begin = std::min(begin, run.begin);
      end = std::max(end, run.end);
      operations += run.operations;
    }
    best = std::max(best, operations / std::chrono::duration<double>(end - begin).count());
  });
  const auto work = [&](std::size_t thread) {
    for (int round = 0; round < kRounds; ++round) {
      Run& run = runs[thread];
      ready.arrive_and_wait();
      run.begin = Clock::now();
      run.operations = HWY_DYNAMIC_DISPATCH(RunChains)(kSteps, 0.5F, &run.result);
      run.end = Clock::now();
      done.arrive_and_wait();
    }
  };
  std::vector<std::thread> others;
  for (std::size_t thread = 1; thread < count; ++thread) others.emplace_back(work, thread);
  work(0);
  for (std::thread& other : others) other.join();
  return best / 1e9;
}

}  // namespace headscope
#endif
