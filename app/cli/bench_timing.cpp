#include "app/cli/bench_timing.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "app/cli/bench_layer.h"
#include "core/backend/backend.h"
#include "core/backend/kernels/peak.h"

namespace headscope::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTurns = 5;
constexpr double kSecondsOfTurn = 0.12;
constexpr std::size_t kMostOfTurn = 1000;

double quantile(const std::vector<double>& increasing, double part) {
  const double at = part * static_cast<double>(increasing.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, increasing.size() - 1);
  return increasing[below] + (at - static_cast<double>(below)) * (increasing[above] - increasing[below]);
}

double seconds_of(BenchLayer& layer, const Backend& backend, const CancelToken& cancel) {
  const Clock::time_point start = Clock::now();
  layer.run(backend, cancel);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

double BenchTimes::median() const {
  return quantile(seconds, 0.5);
}

double BenchTimes::spread() const {
  return (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / median();
}

std::vector<BenchTimes> bench_times(const BenchCase& size, const std::vector<int>& threads, Peaks& peaks,
                                    const CancelToken& cancel) {
  BenchLayer layer(size);
  std::vector<BenchTimes> times;
  std::vector<std::shared_ptr<const Backend>> backends;
  for (const int count : threads) {
    times.push_back({count, {}});
    backends.push_back(make_cpu_backend(count));
    layer.run(*backends.back(), cancel);  // packs the weights, touches the memory
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    for (std::size_t k = 0; k < threads.size(); ++k) {
      cancel.check();
      peaks[threads[k]] = std::max(peaks[threads[k]], measured_peak_gflops(threads[k]));
      // The caches hold the other turn's thread's data: the first one of a turn is not counted, unless it is long.
      double spent = seconds_of(layer, *backends[k], cancel);
      std::vector<double>& seconds = times[k].seconds;
      if (spent >= kSecondsOfTurn) seconds.push_back(spent);
      for (std::size_t n = 0; n < kMostOfTurn && spent < kSecondsOfTurn; ++n) {
        seconds.push_back(seconds_of(layer, *backends[k], cancel));
        spent += seconds.back();
      }
    }
  }
  for (BenchTimes& one : times) std::sort(one.seconds.begin(), one.seconds.end());
  return times;
}

}  // namespace headscope::cli
