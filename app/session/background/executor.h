// Where work runs: a thread in the app, inline in tests, so that GUI tests are exact to the frame.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

namespace headscope {

class Executor {
 public:
  virtual ~Executor() = default;
  // Runs `work` once, later or now, after all work handed over before. `work` must not throw.
  virtual void run(std::function<void()> work) = 0;
  // Another one of the same kind, for work that must not wait behind this one's.
  virtual std::unique_ptr<Executor> make_sibling() const = 0;
};

// Runs at once, in the caller. Work that is handed over while some runs (by that work itself) follows after it.
std::unique_ptr<Executor> make_inline_executor();

// Keeps work until step() is called; for tests of what happens in between. Work that is left is dropped.
class ManualExecutor : public Executor {
 public:
  void run(std::function<void()> work) override;
  std::unique_ptr<Executor> make_sibling() const override;
  // Runs the oldest piece of work, in the caller; false when there is none.
  bool step();
  std::size_t waiting() const { return work_.size(); }

 private:
  std::deque<std::function<void()>> work_;
};

// One thread, started with the first work, that sleeps while there is nothing to do. The destructor waits for the
// running work and drops what has not begun.
std::unique_ptr<Executor> make_thread_executor();

}  // namespace headscope
