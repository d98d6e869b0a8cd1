#include "app/session/background/executor.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace headscope {

namespace {

class InlineExecutor : public Executor {
 public:
  void run(std::function<void()> work) override {
    work_.push_back(std::move(work));
    if (running_) return;
    running_ = true;
    while (!work_.empty()) {
      const std::function<void()> next = std::move(work_.front());
      work_.pop_front();
      next();
    }
    running_ = false;
  }
  std::unique_ptr<Executor> make_sibling() const override { return make_inline_executor(); }

 private:
  std::deque<std::function<void()>> work_;
  bool running_ = false;
};

class ThreadExecutor : public Executor {
 public:
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

  std::unique_ptr<Executor> make_sibling() const override { return make_thread_executor(); }

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

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Executor> make_inline_executor() {
  return std::make_unique<InlineExecutor>();
}

std::unique_ptr<Executor> make_thread_executor() {
  return std::make_unique<ThreadExecutor>();
}

void ManualExecutor::run(std::function<void()> work) {
  work_.push_back(std::move(work));
}

std::unique_ptr<Executor> ManualExecutor::make_sibling() const {
  return std::make_unique<ManualExecutor>();
}

bool ManualExecutor::step() {
  if (work_.empty()) return false;
  const std::function<void()> next = std::move(work_.front());
  work_.pop_front();
  next();
  return true;
}

}  // namespace headscope
