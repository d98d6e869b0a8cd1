// One thread for one GL context: a context belongs to the thread on which it is current, and the calling thread may
// have a window's context.
#pragma once

#include <functional>
#include <memory>

namespace headscope {

class ComputeThread {
 public:
  ComputeThread();
  // Waits for running work.
  ~ComputeThread();
  ComputeThread(const ComputeThread&) = delete;
  ComputeThread& operator=(const ComputeThread&) = delete;

  // Runs `work` on the thread and returns when it is done; rethrows its exceptions. Calls from several threads take
  // turns. Do not call it from within `work`.
  void run(const std::function<void()>& work) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
