// How long one case takes, measured in turns with what the machine can do at all.
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
  // Width of the middle half of the repetitions as a part of the median: how far the figure can be trusted.
  double spread() const;
};

// The most multiply-adds a second that were seen, as GFLOP/s (2 each), by number of threads.
using Peaks = std::map<int, double>;

// Repeats the case with every number of threads in turns, the machine's peak before each turn, and raises `peaks`
// where a turn saw more. Results in the order of `threads`.
std::vector<BenchTimes> bench_times(const BenchCase& size, const std::vector<int>& threads, Peaks& peaks,
                                    const CancelToken& cancel);

}  // namespace headscope::cli
