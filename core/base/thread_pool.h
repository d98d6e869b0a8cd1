// Threads that claim numbered tasks; the caller helps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace headscope {

// What 0 threads mean: the cores of this machine, at least 1.
int hardware_threads();

// Which thread runs which task is left open, so a task must write only what is its own. The caller never waits for a
// worker that has not begun: on a busy machine it does all of the work itself.
class ThreadPool {
 public:
  // `threads` counts the caller; 0: one per core. Workers start with the first job that wants them. After a job they
  // look out for the next one for some microseconds, then they sleep.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  // Calls task(0) ... task(count - 1), each once, and returns when all are done; count < 2^31. When one throws, no
  // further task is started and the first exception is thrown again here. With `parallel` false the caller does all of
  // it: waking a worker costs about 10 microseconds. So it does while the workers have another caller's job, or this
  // one's when a task calls run().
  void run(std::int64_t count, bool parallel, const std::function<void(std::int64_t)>& task);

 private:
  struct State;
  int threads_;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
