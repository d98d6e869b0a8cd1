// make_thread_executor(), where there are threads.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "app/session/background/work/executor.h"
#include "app/session/background/work/shared_threads.h"
#include "app/session/background/work/waiting_work.h"

namespace headscope {

namespace {

std::unique_ptr<Executor> make_on_threads(const std::shared_ptr<SharedThreads>& shared, Load load);

class ThreadExecutor : public Executor {
 public:
  explicit ThreadExecutor(std::shared_ptr<SharedThreads> shared) : shared_(std::move(shared)) {}
  ~ThreadExecutor() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      work_.clear();
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  void run(std::function<void()> work) override {
    {
      const std::lock_guard lock(mutex_);
      work_.push_back(std::move(work));
      if (!thread_.joinable()) thread_ = std::thread([this] { work_until_end(); });
    }
    changed_.notify_one();
  }

  std::unique_ptr<Executor> make_sibling(Load load) const override { return make_on_threads(shared_, load); }

 private:
  void work_until_end() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ending_ || !work_.empty(); });
      if (ending_) return;
      std::function<void()> next = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      next();
      next = nullptr;  // frees what it holds before other threads can see this thread as idle
      lock.lock();
    }
  }

  const std::shared_ptr<SharedThreads> shared_;  // for siblings; starts no thread by itself
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool ending_ = false;
  std::thread thread_;
};

// One line of the shared threads.
class SharedExecutor : public Executor {
 public:
  SharedExecutor(std::shared_ptr<SharedThreads> shared, bool heavy) : shared_(std::move(shared)), line_{heavy} {}
  ~SharedExecutor() override { shared_->close(line_); }
  void run(std::function<void()> work) override { shared_->run(line_, std::move(work)); }
  std::unique_ptr<Executor> make_sibling(Load load) const override { return make_on_threads(shared_, load); }

 private:
  const std::shared_ptr<SharedThreads> shared_;
  SharedThreads::Line line_;
};

std::unique_ptr<Executor> make_on_threads(const std::shared_ptr<SharedThreads>& shared, Load load) {
  if (load == Load::alone) return std::make_unique<ThreadExecutor>(shared);
  return std::make_unique<SharedExecutor>(shared, load == Load::heavy);
}

}  // namespace

std::unique_ptr<Executor> make_thread_executor() {
  return std::make_unique<ThreadExecutor>(std::make_shared<SharedThreads>());
}

bool run_waiting_work(double) {
  return false;
}

}  // namespace headscope
