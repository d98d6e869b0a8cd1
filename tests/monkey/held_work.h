// The work of all executors of one window: done at once, or held until the random user lets it go, so that workers
// answer late. On the calling thread, so that a run is the same every time.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "app/session/background/work/executor.h"

namespace headscope::ui {

class HeldWork {
 public:
  // An executor of this work; its siblings are too. The executors must not live longer than this.
  std::unique_ptr<Executor> make_executor();

  // From now on work waits.
  void hold() { held_ = true; }
  bool holds() const { return held_; }
  // Does at most `pieces` of what waits, oldest first.
  void work_off(int pieces);
  // Does all that waits; from now on work is done at once.
  void let_go();

 private:
  friend class HeldExecutor;
  void add(const void* owner, std::function<void()> work);
  void drop(const void* owner);

  std::deque<std::pair<const void*, std::function<void()>>> work_;
  bool held_ = false, working_ = false;
};

}  // namespace headscope::ui
