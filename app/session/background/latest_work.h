// Answers one question at a time in the background, the newest one: for numbers that take too long for a frame.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "app/session/background/executor.h"
#include "core/base/cancel.h"

namespace headscope {

// `Question` is a value with ==; `Answer` is made once and never changes.
template <typename Question, typename Answer>
class LatestWork {
 public:
  struct Result {
    Question question;
    std::optional<Answer> answer;
    std::string failure;  // why there is no answer; else ""
    bool whole = true;    // false: a part of the answer, the rest follows
  };
  using Work = std::function<Answer(const Question&, const CancelToken&)>;
  // Work that publishes parts of its answer before the whole is ready.
  using Publish = std::function<void(Answer)>;
  using WorkInParts = std::function<Answer(const Question&, const CancelToken&, const Publish&)>;

  // `wake` is called on `executor` when a result, or a part of one, is ready.
  LatestWork(std::unique_ptr<Executor> executor, std::function<void()> wake, WorkInParts work)
      : wake_(std::move(wake)), work_(std::move(work)), executor_(std::move(executor)) {}
  LatestWork(std::unique_ptr<Executor> executor, std::function<void()> wake, Work work)
      : LatestWork(std::move(executor), std::move(wake),
                   WorkInParts([work = std::move(work)](const Question& question, const CancelToken& cancel,
                                                        const Publish&) { return work(question, cancel); })) {}
  // Cancels running work and waits for it.
  ~LatestWork() {
    forget();
    executor_.reset();
  }
  LatestWork(const LatestWork&) = delete;
  LatestWork& operator=(const LatestWork&) = delete;

  // Call it in every frame that shows the answer. Returns the newest result: of this question or, until that is ready,
  // of an older one; null before the first. Cancels work on another question.
  std::shared_ptr<const Result> want(const Question& question) {
    bool start = false;
    {
      const std::lock_guard lock(mutex_);
      const bool known = done_ != nullptr && done_->whole && done_->question == question;
      const bool on_its_way = running_ && *running_ == question;
      if (!on_its_way && running_) token_.cancel();
      if (known || on_its_way) {
        waiting_.reset();
      } else {
        waiting_ = question;
      }
      if (known) return done_;
      if (!active_) active_ = start = true;
    }
    if (start) executor_->run([this] { work_until_idle(); });
    const std::lock_guard lock(mutex_);
    return done_;
  }

  // Call it when no view shows the answer any more: cancels work and releases results and the traces that they hold.
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
      auto result = std::make_shared<Result>(Result{*question, std::nullopt, "", true});
      bool dropped = false;
      const auto publish = [&](Answer part) {
        keep(std::make_shared<const Result>(Result{*question, std::move(part), "", false}), token);
      };
      try {
        result->answer = work_(*question, token, publish);
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

  void keep(std::shared_ptr<const Result> part, const CancelToken& token) {
    {
      const std::lock_guard lock(mutex_);
      if (token.cancelled()) return;
      done_ = std::move(part);
    }
    if (wake_) wake_();
  }

  const std::function<void()> wake_;
  const WorkInParts work_;
  mutable std::mutex mutex_;
  std::optional<Question> waiting_, running_;
  std::shared_ptr<const Result> done_;
  bool active_ = false;
  CancelToken token_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace headscope
