#include "app/platform/end_signals.h"

namespace headscope {

namespace {

// Nobody sends a page a signal.
class NoSignals : public EndSignals {
 public:
  bool ended() const override { return false; }
};

}  // namespace

void hold_end_signals() {}

std::unique_ptr<EndSignals> watch_end_signals(std::function<void()>) {
  return std::make_unique<NoSignals>();
}

}  // namespace headscope
