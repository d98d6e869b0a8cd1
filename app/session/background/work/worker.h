// The work of one service in the background: pieces that run one after the other on an executor. The next one is chosen
// when the one before has ended, so that it is always the one that is wanted then.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "app/session/background/work/executor.h"
#include "core/base/cancel.h"

namespace headscope {

// One lock guards what a service shares with its pieces of work: the service's functions hold it while they touch that,
// and so do the pieces, which run without it.
class Worker {
 public:
  // May throw Cancelled, and nothing else.
  using Piece = std::function<void(const CancelToken&)>;
  // What there is to do. Both are called with the lock held.
  struct Work {
    std::function<bool()> waits;  // whether a piece waits
    std::function<Piece()> take;  // the piece that is to run next; called only where one waits
  };

  // `wake` tells the owner that something new is there; it may be null.
  Worker(std::unique_ptr<Executor> executor, std::function<void()> wake, Work work);
  // Cancels the running piece and waits for it; after that none runs. A service keeps its worker as its last member, so
  // that it ends before what its pieces use.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  [[nodiscard]] std::unique_lock<std::mutex> lock() const { return std::unique_lock(mutex_); }
  // With the lock held: cancels the running piece, if there is one.
  void cancel();
  // Without the lock: works until nothing waits, unless it does already. The owner's thread calls it.
  void start();
  // Without the lock: whether a piece runs or waits for its turn.
  bool busy() const;
  // Without the lock: something new is there.
  void wake() const;

 private:
  void run_piece();  // called on the executor

  const std::function<void()> wake_;
  const Work work_;
  mutable std::mutex mutex_;
  bool active_ = false;   // the executor holds a run_piece()
  bool running_ = false;  // a piece runs
  bool ending_ = false;
  CancelToken token_;  // of the running piece
  std::unique_ptr<Executor> executor_;
};

}  // namespace headscope
