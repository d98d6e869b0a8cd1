// What this machine can do at best, and which of its two limits a step meets first.
#pragma once

#include <optional>

#include "core/cost/layer_cost.h"

namespace headscope {

// The roofline of the processor (Williams, Waterman and Patterson 2009): what it computes and what it moves, at best.
struct MachinePeaks {
  int threads = 1;
  double operations = 0;  // float32 floating-point operations a second: fused multiply-adds in registers, 2 each
  double bytes = 0;       // bytes a second, read from memory and written to it
  // The arithmetic intensity from which on arithmetic is the limit, in operations a byte.
  double ridge() const { return operations / bytes; }
};

// Measured now, within a third of a second, on `threads` threads (0: one for each core; never more than that).
MachinePeaks measured_machine_peaks(int threads);

enum class CostLimit { none, arithmetic, memory };  // none: there is nothing to do

// Which one the amounts meet first: memory below the ridge, arithmetic from it on.
CostLimit limit_of(const CostAmounts& amounts, const MachinePeaks& peaks);

// Seconds at these peaks: the longer one of arithmetic and memory, which run beside each other.
double seconds_at_peak(const CostAmounts& amounts, const MachinePeaks& peaks);

// Returns the seconds of all stages of a layer, one after the other.
double seconds_at_peak(const LayerCost& cost, const MachinePeaks& peaks);

}  // namespace headscope
