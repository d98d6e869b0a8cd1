#include "app/session/background/work/worker.h"

#include <utility>

namespace headscope {

Worker::Worker(std::unique_ptr<Executor> executor, std::function<void()> wake, Work work)
    : wake_(std::move(wake)), work_(std::move(work)), executor_(std::move(executor)) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    cancel();
  }
  executor_.reset();
}

void Worker::cancel() {
  if (running_) token_.cancel();
}

void Worker::start() {
  {
    const std::lock_guard lock(mutex_);
    if (active_ || !work_.waits()) return;
    active_ = true;
  }
  executor_->run([this] { run_piece(); });  // without the lock: an inline executor runs it now
}

bool Worker::busy() const {
  const std::lock_guard lock(mutex_);
  return active_;
}

void Worker::wake() const {
  if (wake_) wake_();
}

void Worker::run_piece() {
  Piece piece;
  CancelToken token;
  {
    const std::lock_guard lock(mutex_);
    if (ending_ || !work_.waits()) {
      active_ = false;
      return;
    }
    piece = work_.take();
    token_ = token;
    running_ = true;
  }
  try {
    piece(token);
  } catch (const Cancelled&) {
  }
  piece = nullptr;  // frees what it holds before the service is idle
  const std::lock_guard lock(mutex_);
  running_ = false;
  active_ = !ending_ && work_.waits();
  // A turn for each piece, so that services which share threads take turns. With the lock: the destructor, which takes
  // the executor away, has to wait; and every executor only queues what running work passes on.
  if (active_) executor_->run([this] { run_piece(); });
}

}  // namespace headscope
