#include "app/gl/compute_thread.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace headscope {

struct ComputeThread::State {
  std::mutex turn;  // held by the caller whose work it is

  std::mutex mutex;  // of what follows
  std::condition_variable changed;
  const std::function<void()>* work = nullptr;
  std::exception_ptr thrown;
  bool ends = false;

  std::thread thread;

  void run_all() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return ends || work != nullptr; });
      if (ends) return;
      const std::function<void()>& mine = *work;
      lock.unlock();
      std::exception_ptr problem;
      try {
        mine();
      } catch (...) {
        problem = std::current_exception();
      }
      lock.lock();
      thrown = std::move(problem);
      work = nullptr;
      changed.notify_all();
    }
  }
};

ComputeThread::ComputeThread() : state_(std::make_unique<State>()) {
  state_->thread = std::thread([state = state_.get()] { state->run_all(); });
}

ComputeThread::~ComputeThread() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->ends = true;
  }
  state_->changed.notify_all();
  state_->thread.join();
}

void ComputeThread::run(const std::function<void()>& work) const {
  const std::lock_guard turn(state_->turn);
  std::unique_lock lock(state_->mutex);
  state_->work = &work;
  state_->changed.notify_all();
  state_->changed.wait(lock, [this] { return state_->work == nullptr; });
  if (const std::exception_ptr problem = std::exchange(state_->thrown, nullptr)) std::rethrow_exception(problem);
}

}  // namespace headscope
