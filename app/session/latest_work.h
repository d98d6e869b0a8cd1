// One question at a time in the background, the newest: what a view shows of numbers that no frame may wait for.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "app/session/executor.h"
#include "core/cancel.h"

namespace headscope {

// `Question` is a value with ==; `Answer` is made once and never changes.
template <typename Question, typename Answer>
class LatestWork {
 public:
  struct Result {
    Question question;
    std::optional<Answer> answer;
    std::string failure;  // why there is none
  };
  using Work = std::function<Answer(const Question&, const CancelToken&)>;

  // `wake` is called on `executor` when a result is there.
  LatestWork(std::unique_ptr<Executor> executor, std::function<void()> wake, Work work)
      : wake_(std::move(wake)), work_(std::move(work)), executor_(std::move(executor)) {}
  // Cancels what runs and waits for it.
  ~LatestWork() {
    forget();
    executor_.reset();
  }
  LatestWork(const LatestWork&) = delete;
  LatestWork& operator=(const LatestWork&) = delete;

  // Asked in every frame that shows it: the newest result, of this question or, while that is on its way, of an older
  // one; null before the first. Work on another question is cancelled.
  std::shared_ptr<const Result> want(const Question& question) {
    bool start = false;
    {
      const std::lock_guard lock(mutex_);
      const bool known = done_ != nullptr && done_->question == question;
      const bool on_its_way = running_ && *running_ == question;
      if (!on_its_way && running_) token_.cancel();
      waiting_.reset();
      if (known) return done_;
      if (!on_its_way) waiting_ = question;
      if (!active_) active_ = start = true;
    }
    if (start) executor_->run([this] { work_until_idle(); });
    const std::lock_guard lock(mutex_);
    return done_;
  }

  // Nobody looks any more: results and what they point to are let go.
  void forget() {
    const std::lock_guard lock(mutex_);
    waiting_.reset();
    if (running_) token_.cancel();
    done_.reset();
  }

  bool busy() const {
    const std::lock_guard lock(mutex_);
    return active_;
  }

 private:
  void work_until_idle() {
    while (true) {
      std::optional<Question> question;
      CancelToken token;
      {
        const std::lock_guard lock(mutex_);
        if (!waiting_) {
          active_ = false;
          return;
        }
        running_ = std::exchange(waiting_, std::nullopt);
        question = running_;
        token_ = token;
      }
      auto result = std::make_shared<Result>(Result{*question, std::nullopt, ""});
      bool dropped = false;
      try {
        result->answer = work_(*question, token);
      } catch (const Cancelled&) {
        dropped = true;
      } catch (const std::exception& error) {
        result->failure = error.what();
      }
      {
        const std::lock_guard lock(mutex_);
        running_.reset();
        if (!dropped && !token.cancelled()) done_ = std::move(result);
      }
      if (wake_) wake_();
    }
  }

  const std::function<void()> wake_;
  const Work work_;
  mutable std::mutex mutex_;
  std::optional<Question> waiting_, running_;
  std::shared_ptr<const Result> done_;
  bool active_ = false;
  CancelToken token_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace headscope
