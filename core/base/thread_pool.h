// Threads that claim numbered tasks; the caller helps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace headscope {

// The number of cores of this machine, at least 1: what a thread count of 0 stands for.
int hardware_threads();

// Any thread may run any task, so a task must write only its own data. The caller never waits for a worker that has not
// begun: on a busy machine it does all of the work itself.
class ThreadPool {
 public:
  // `threads` counts the caller; 0: one per core. Workers start with the first job that needs them. After a job they
  // wait actively for the next one for some microseconds, then they sleep.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  // Calls task(0) ... task(count - 1), each once, and returns when all are done; count < 2^31. When one throws, no
  // further task is started and the first exception is thrown again here. With `parallel` false the caller runs all
  // tasks itself: waking a worker costs about 10 microseconds. It does so too while the workers are busy with the job
  // of another caller, and when a task calls run().
  void run(std::int64_t count, bool parallel, const std::function<void(std::int64_t)>& task);

 private:
  struct State;
  int threads_;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
