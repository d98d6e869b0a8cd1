// Where work runs: a thread in the app, inline in tests, so that GUI tests are exact to the frame.
#pragma once

#include <functional>
#include <memory>

namespace headscope {

class Executor {
 public:
  virtual ~Executor() = default;
  // Runs `work` once, later or now, after all work handed over before.
  virtual void run(std::function<void()> work) = 0;
};

// Runs at once, in the caller.
std::unique_ptr<Executor> make_inline_executor();
// Keeps work until step() is called; for tests of what happens in between.
class ManualExecutor;
// One thread that sleeps while there is nothing to do; the destructor waits for the running work.
std::unique_ptr<Executor> make_thread_executor();

}  // namespace headscope
