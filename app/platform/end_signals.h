// The desktop's wish that the program end (SIGTERM, SIGINT, SIGHUP): a flag instead of a sudden death, so that the
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

// Keeps these signals from all threads started later; call before starting any.
void hold_end_signals();
// Waits for them in a thread of its own, which calls `wake` when one came. hold_end_signals() came before.
std::unique_ptr<EndSignals> watch_end_signals(std::function<void()> wake);

}  // namespace headscope
