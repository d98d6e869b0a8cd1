#include "core/backend/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/backend/backend.h"

namespace headscope {
namespace {

struct Job {
  const std::function<void(std::int64_t)>* task = nullptr;
  std::int64_t count = 0;
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::condition_variable finished;
  std::int64_t done = 0;
  std::exception_ptr error;
};

// Claims and runs tasks until none is left. A worker that comes late claims a number beyond the end and never touches
// the task, which may be gone by then.
void work_on(Job& job) {
  std::int64_t mine = 0;
  for (std::int64_t i = job.next.fetch_add(1); i < job.count; i = job.next.fetch_add(1)) {
    if (!job.failed.load()) {
      try {
        (*job.task)(i);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(job.mutex);
        if (!job.error) job.error = std::current_exception();
        job.failed.store(true);
      }
    }
    ++mine;
  }
  if (mine == 0) return;
  const std::lock_guard<std::mutex> lock(job.mutex);
  job.done += mine;
  if (job.done == job.count) job.finished.notify_all();
}

}  // namespace

struct ThreadPool::State {
  std::mutex one_job;  // held for the length of a run
  std::mutex mutex;
  std::condition_variable wake;
  std::shared_ptr<Job> job;
  std::uint64_t generation = 0;
  bool stop = false;
  std::vector<std::thread> workers;

  void serve() {
    std::uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return stop || generation != seen; });
      if (stop) return;
      seen = generation;
      const std::shared_ptr<Job> current = job;
      lock.unlock();
      if (current) work_on(*current);
      lock.lock();
    }
  }
};

int hardware_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ThreadPool::ThreadPool(int threads)
    : threads_(threads > 0 ? threads : hardware_threads()), state_(std::make_unique<State>()) {}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

void ThreadPool::run(std::int64_t count, bool parallel, const std::function<void(std::int64_t)>& task) {
  if (!parallel || threads_ == 1 || count < 2) {
    for (std::int64_t i = 0; i < count; ++i) task(i);
    return;
  }
  const std::lock_guard<std::mutex> only(state_->one_job);
  const auto job = std::make_shared<Job>();
  job->task = &task;
  job->count = count;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    try {
      while (static_cast<int>(state_->workers.size()) < threads_ - 1) {
        state_->workers.emplace_back([state = state_.get()] { state->serve(); });
      }
    } catch (const std::system_error&) {
      // The system refuses more threads: the ones that run, and the caller, do the work.
    }
    state_->job = job;
    ++state_->generation;
  }
  state_->wake.notify_all();
  work_on(*job);
  {
    std::unique_lock<std::mutex> lock(job->mutex);
    job->finished.wait(lock, [&] { return job->done == job->count; });
  }
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->job.reset();
  }
  if (job->error) std::rethrow_exception(job->error);
}

}  // namespace headscope
