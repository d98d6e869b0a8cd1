// One thread for one GL context: a context belongs to the thread on which it is current, and whoever asks for numbers
// may have a window's context there.
#pragma once

#include <functional>
#include <memory>

namespace headscope {

class ComputeThread {
 public:
  ComputeThread();
  // Waits for the work that runs.
  ~ComputeThread();
  ComputeThread(const ComputeThread&) = delete;
  ComputeThread& operator=(const ComputeThread&) = delete;

  // Runs `work` there and returns when it is done; what it throws is thrown here. Callers of several threads take
  // turns. Not to be called from within `work`.
  void run(const std::function<void()>& work) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
