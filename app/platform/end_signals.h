// The signals that end the program (SIGTERM, SIGINT, SIGHUP): they set a flag instead of killing it, so that the
// session is saved.
#pragma once

#include <functional>
#include <memory>

namespace headscope {

class EndSignals {
 public:
  virtual ~EndSignals() = default;
  virtual bool ended() const = 0;
};

// Blocks these signals for this thread and all threads started later; call it before starting any.
void hold_end_signals();
// Waits for the signals in a thread of its own, which calls `wake` when one arrives. Call hold_end_signals() before.
std::unique_ptr<EndSignals> watch_end_signals(std::function<void()> wake);

}  // namespace headscope
