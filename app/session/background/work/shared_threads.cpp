#include "app/session/background/work/shared_threads.h"

#include <algorithm>
#include <utility>

namespace headscope {

SharedThreads::~SharedThreads() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void SharedThreads::run(Line& line, std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (line.closed) return;
    line.work.push_back(std::move(work));
    if (line.running || line.work.size() > 1) return;  // it is ready already, or will be when its piece has ended
    ready_.push_back(&line);
    if (ready_.size() > idle_ && threads_.size() < kThreads) threads_.emplace_back([this] { work_until_end(); });
  }
  changed_.notify_one();
}

void SharedThreads::close(Line& line) {
  std::deque<std::function<void()>> dropped;  // what it holds is freed without the lock
  std::unique_lock lock(mutex_);
  line.closed = true;
  dropped.swap(line.work);
  std::erase(ready_, &line);
  ended_.wait(lock, [&line] { return !line.running; });
}

SharedThreads::Line* SharedThreads::take_startable() {
  const auto found = std::find_if(ready_.begin(), ready_.end(),
                                  [this](const Line* line) { return !line->heavy || heavy_ < kMostHeavy; });
  if (found == ready_.end()) return nullptr;
  Line* line = *found;
  ready_.erase(found);
  return line;
}

void SharedThreads::work_until_end() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    Line* line = take_startable();
    if (line == nullptr) {
      ++idle_;
      changed_.wait(lock);
      --idle_;
      continue;
    }
    std::function<void()> work = std::move(line->work.front());
    line->work.pop_front();
    line->running = true;
    if (line->heavy) ++heavy_;
    // A heavy line that could not run before, or one that took its turn again, has woken no thread.
    if (!ready_.empty()) changed_.notify_one();
    lock.unlock();
    work();
    work = nullptr;  // frees what it holds before the owner can see the line as idle
    lock.lock();
    line->running = false;
    if (line->heavy) --heavy_;
    if (!line->work.empty()) ready_.push_back(line);
    // With the lock held: afterwards the owner may destroy the line.
    ended_.notify_all();
  }
}

}  // namespace headscope
