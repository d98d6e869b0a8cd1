#include "core/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/assert.h"
#include "core/base/system/machine.h"

namespace headscope {
namespace {

// How long a thread looks out before it sleeps: longer than most tasks and than the steps between two products of a
// forward, since to be woken costs as much as a small product; and nothing that an idle program would show.
constexpr std::chrono::microseconds kLookOut{60};

// Tells the processor that the thread waits in a loop.
void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Looks at `ready` for a while; true as soon as it is.
template <typename Ready>
bool look_out(const Ready& ready) {
  const auto end = std::chrono::steady_clock::now() + kLookOut;
  do {
    for (int i = 0; i < 8; ++i) {
      if (ready()) return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return ready();
}

}  // namespace

// One job at a time is published in `claim`: its number in the upper half, the next task that is free in the lower
// half. A thread takes a task by counting the lower half up, which fails when the job has changed meanwhile; so a
// worker that comes late reads stale values at most, and never acts on them.
struct ThreadPool::State {
  using Task = std::function<void(std::int64_t)>;
  static constexpr std::uint64_t kNone = 0xFFFFFFFF;  // in the lower half: no task to take

  std::atomic<bool> busy{false};  // a job is in work
  std::atomic<std::uint64_t> claim{kNone};
  std::atomic<const Task*> task{nullptr};
  std::atomic<int> count{0};
  std::atomic<int> done{0};
  std::atomic<bool> failed{false};
  std::mutex error_mutex;
  std::exception_ptr error;

  std::atomic<int> published{0};  // counts jobs; sleeping workers wait for it to change
  std::atomic<bool> stop{false};
  std::vector<std::thread> workers;

  // Takes tasks of the job in `claim` until none is left.
  void work() {
    std::uint64_t seen = claim.load();
    while (true) {
      const Task* const current = task.load();
      const std::uint64_t next = seen & kNone;
      if (next >= static_cast<std::uint64_t>(count.load())) return;
      if (!claim.compare_exchange_weak(seen, seen + 1)) continue;
      run_task(*current, static_cast<std::int64_t>(next));
      if (done.fetch_add(1) + 1 == count.load()) done.notify_all();
      seen = claim.load();
    }
  }

  void run_task(const Task& current, std::int64_t index) {
    if (failed.load()) return;
    try {
      current(index);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(error_mutex);
      if (!error) error = std::current_exception();
      failed.store(true);
    }
  }

  void serve() {
    int seen = 0;
    while (true) {
      const auto changed = [&] { return published.load() != seen; };
      if (!look_out(changed)) published.wait(seen);
      // In this order: who has seen the last count, after which nobody wakes him any more, sees `stop`, too.
      seen = published.load();
      if (stop.load()) return;
      work();
    }
  }

  void start_workers(int wanted) {
    try {
      while (static_cast<int>(workers.size()) < wanted) workers.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      // The system refuses more threads: the ones that run, and the caller, do the work.
    }
  }

  void publish(int tasks, const Task& current) {
    const std::uint64_t job = ((claim.load() >> 32) + 1) << 32;
    claim.store(job | kNone);  // from here on a thread that still reads the last job fails to claim
    task.store(&current);
    count.store(tasks);
    done.store(0);
    failed.store(false);
    error = nullptr;
    claim.store(job);
    published.fetch_add(1);
    published.notify_all();
  }

  // Until the tasks that others have taken are done.
  void wait(int tasks) {
    const auto all_done = [&] { return done.load() == tasks; };
    if (look_out(all_done)) return;
    for (int now = done.load(); now != tasks; now = done.load()) done.wait(now);
  }
};

int hardware_threads() {
  return std::max(1, static_cast<int>(system::usable_processors()));
}

ThreadPool::ThreadPool(int threads)
    : threads_(threads > 0 ? threads : hardware_threads()), state_(std::make_unique<State>()) {}

ThreadPool::~ThreadPool() {
  state_->stop.store(true);
  state_->published.fetch_add(1);
  state_->published.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

void ThreadPool::run(std::int64_t count, bool parallel, const std::function<void(std::int64_t)>& task) {
  if (!parallel || threads_ == 1 || count < 2 || state_->busy.exchange(true)) {
    for (std::int64_t i = 0; i < count; ++i) task(i);
    return;
  }
  HEADSCOPE_ASSERT(count < std::int64_t{1} << 31, std::to_string(count) + " tasks");
  State& state = *state_;
  state.start_workers(threads_ - 1);
  state.publish(static_cast<int>(count), task);
  state.work();
  state.wait(static_cast<int>(count));
  const std::exception_ptr error = std::exchange(state.error, nullptr);
  state.busy.store(false);
  if (error) std::rethrow_exception(error);
}

}  // namespace headscope
