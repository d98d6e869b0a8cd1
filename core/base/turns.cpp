#include "core/base/turns.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"

namespace headscope {
namespace {

// Whose turn it is.
class Round {
 public:
  explicit Round(std::size_t count) : ended_(count) {}

  // Waits for the first turn of k.
  void enter(std::size_t k) {
    std::unique_lock lock(mutex_);
    wait(lock, k);
  }

  void pause(std::size_t k) {
    std::unique_lock lock(mutex_);
    pass_on(k);
    wait(lock, k);
    if (failure_ != nullptr) throw Cancelled();
  }

  void leave(std::size_t k, std::exception_ptr failure) {
    const std::scoped_lock lock(mutex_);
    ended_[k] = true;
    if (failure_ == nullptr) failure_ = std::move(failure);
    if (turn_ == k) pass_on(k);
  }

  std::exception_ptr failure() {
    const std::scoped_lock lock(mutex_);
    return failure_;
  }

 private:
  void wait(std::unique_lock<std::mutex>& lock, std::size_t k) {
    changed_.wait(lock, [&] { return turn_ == k; });
  }

  // To the next one that has not ended; to k itself where all others have.
  void pass_on(std::size_t k) {
    for (std::size_t step = 1; step <= ended_.size(); ++step) {
      const std::size_t next = (k + step) % ended_.size();
      if (ended_[next]) continue;
      turn_ = next;
      break;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> ended_;
  std::size_t turn_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

void work_by_turns(std::size_t count, const std::function<void(std::size_t, const Pause&)>& work) {
  if (count == 1) return work(0, [] {});
  Round round(count);
  const auto take_part = [&](std::size_t k) {
    std::exception_ptr failure;
    try {
      round.enter(k);
      // One whose first turn comes after a failure does nothing.
      if (round.failure() == nullptr) work(k, [&round, k] { round.pause(k); });
    } catch (...) {
      failure = std::current_exception();
    }
    round.leave(k, std::move(failure));
  };
  std::vector<std::thread> threads;
  threads.reserve(count);
  try {
    for (std::size_t k = 0; k < count; ++k) threads.emplace_back(take_part, k);
  } catch (const std::system_error& error) {
    for (std::size_t k = threads.size(); k < count; ++k) {
      round.leave(k, std::make_exception_ptr(Error(std::string("no thread can be started: ") + error.what())));
    }
  }
  for (std::thread& thread : threads) thread.join();
  if (round.failure() != nullptr) std::rethrow_exception(round.failure());
}

}  // namespace headscope
