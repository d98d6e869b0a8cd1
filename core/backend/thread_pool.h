// Threads that claim numbered tasks; the caller helps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace headscope {

// One job runs at a time. Which thread runs which task is left open, so a task must write only what is its own.
class ThreadPool {
 public:
  // `threads` counts the caller; 0: one per core. Workers start with the first job that wants them.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  // Calls task(0) ... task(count - 1), each once, and returns when all are done. When one throws, no further task is
  // started and the first exception is thrown again here. With `parallel` false the caller does all of it: waking a
  // worker costs about 10 microseconds.
  void run(std::int64_t count, bool parallel, const std::function<void(std::int64_t)>& task);

 private:
  struct State;
  int threads_;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
