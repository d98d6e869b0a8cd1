// A run of the random user in a process of its own, which may crash.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/monkey/event.h"

namespace headscope::ui {

struct RunOptions {
  std::uint64_t seed = 1;
  std::int64_t events = 1000;
  std::int64_t settle = 0;          // events before memory is measured
  std::int64_t measure = 0;         // events from one measurement to the next; 0: none
  double most_growth = -1;          // bytes an event that what is allocated may grow by; < 0: any
  std::int64_t most_resident = -1;  // bytes of the process, whenever memory is measured; < 0: any
};

struct Outcome {
  std::string wrong;          // "undo: ..." or "signal 11"; "" when nothing is
  std::vector<Event> events;  // that were done, the last one included
  // What kind of mistake it is: the words before the colon.
  std::string kind() const { return wrong.substr(0, wrong.find(':')); }
};

// Makes events from the seed and does them. Prints measurements of memory.
Outcome run_random(const RunOptions& options);
// Does these.
Outcome run_events(const std::vector<Event>& events, bool quiet);
// The shortest list that fails as `failed` did.
std::vector<Event> shrunk_events(const Outcome& failed);

}  // namespace headscope::ui
