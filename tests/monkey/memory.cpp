#include "tests/monkey/memory.h"

#include <malloc.h>
#include <unistd.h>

#include <fstream>

namespace headscope::ui {

namespace {

double slope(const std::vector<MemorySample>& samples, std::int64_t MemorySample::*bytes) {
  if (samples.size() < 2) return 0;
  const auto count = static_cast<double>(samples.size());
  double x = 0, y = 0;
  for (const MemorySample& each : samples) {
    x += static_cast<double>(each.events) / count;
    y += static_cast<double>(each.*bytes) / count;
  }
  double above = 0, below = 0;
  for (const MemorySample& each : samples) {
    const double along = static_cast<double>(each.events) - x;
    above += along * (static_cast<double>(each.*bytes) - y);
    below += along * along;
  }
  return below > 0 ? above / below : 0;
}

}  // namespace

MemorySample measure_memory(std::int64_t events) {
  MemorySample sample;
  sample.events = events;
  const struct mallinfo2 info = mallinfo2();
  sample.allocated = static_cast<std::int64_t>(info.uordblks + info.hblkhd);
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  sample.resident = pages * sysconf(_SC_PAGESIZE);
  return sample;
}

Growth growth_of(const std::vector<MemorySample>& samples) {
  return {slope(samples, &MemorySample::allocated), slope(samples, &MemorySample::resident)};
}

}  // namespace headscope::ui
