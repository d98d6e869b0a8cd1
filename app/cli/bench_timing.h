// Times one case, alternating with measurements of the machine's peak speed.
#pragma once

#include <map>
#include <vector>

#include "app/cli/bench_case.h"
#include "core/base/cancel.h"

namespace headscope::cli {

struct BenchTimes {
  int threads = 1;
  std::vector<double> seconds;  // of every repetition, increasing; never empty

  double min() const { return seconds.front(); }
  double median() const;
  // Width of the middle half of the repetitions, divided by the median: small when the figure can be trusted.
  double spread() const;
};

// The highest multiply-add speed that was measured, in GFLOP/s (2 operations each), by number of threads.
using Peaks = std::map<int, double>;

// Repeats the case with every number of threads in turn, measures the machine's peak before each turn, and raises
// `peaks` where it is higher. Results in the order of `threads`. Throws Cancelled.
std::vector<BenchTimes> bench_times(const BenchCase& size, const std::vector<int>& threads, Peaks& peaks,
                                    const CancelToken& cancel);

}  // namespace headscope::cli
