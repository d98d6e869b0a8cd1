// How much memory the process has, and whether it grows.
#pragma once

#include <cstdint>
#include <vector>

namespace headscope::ui {

struct MemorySample {
  std::int64_t events = 0;     // done so far
  std::int64_t allocated = 0;  // bytes that malloc gave out and did not get back: the same in every run
  std::int64_t resident = 0;   // bytes of the process in memory; with what malloc keeps for later
};

MemorySample measure_memory(std::int64_t events);

struct Growth {
  double allocated = 0, resident = 0;  // bytes an event
};
// The slopes of the straight lines that fit the samples best (least squares); 0 for fewer than two.
Growth growth_of(const std::vector<MemorySample>& samples);

}  // namespace headscope::ui
