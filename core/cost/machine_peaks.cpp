#include "core/cost/machine_peaks.h"

#include <algorithm>

#include "core/backend/kernels/peak.h"
#include "core/base/thread_pool.h"
#include "core/cost/memory_speed.h"

namespace headscope {

MachinePeaks measured_machine_peaks(int threads) {
  const int cores = hardware_threads();
  MachinePeaks peaks;
  peaks.threads = threads <= 0 ? cores : std::min(threads, cores);
  peaks.operations = measured_peak_gflops(peaks.threads) * 1e9;
  peaks.bytes = measured_memory_speed(peaks.threads);
  return peaks;
}

CostLimit limit_of(const CostAmounts& amounts, const MachinePeaks& peaks) {
  if (amounts.operations() == 0 && amounts.bytes() == 0) return CostLimit::none;
  return amounts.operations() >= peaks.ridge() * amounts.bytes() ? CostLimit::arithmetic : CostLimit::memory;
}

double seconds_at_peak(const CostAmounts& amounts, const MachinePeaks& peaks) {
  return std::max(amounts.operations() / peaks.operations, amounts.bytes() / peaks.bytes);
}

double seconds_at_peak(const LayerCost& cost, const MachinePeaks& peaks) {
  double seconds = 0;
  for (const StageCost& stage : cost.stages) seconds += seconds_at_peak(stage.now, peaks);
  return seconds;
}

}  // namespace headscope
