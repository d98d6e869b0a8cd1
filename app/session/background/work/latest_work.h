// Answers one question at a time in the background, the newest one: for numbers that take too long for a frame.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/session/background/work/executor.h"
#include "app/session/background/work/worker.h"
#include "core/base/cancel.h"
#include "core/base/memory_failures.h"
#include "core/io/mapping_guard.h"

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
      : work_(std::move(work)),
        worker_(std::move(executor), std::move(wake),
                {[this] { return waiting_.has_value(); }, [this] { return take(); }}) {}
  LatestWork(std::unique_ptr<Executor> executor, std::function<void()> wake, Work work)
      : LatestWork(std::move(executor), std::move(wake),
                   WorkInParts([work = std::move(work)](const Question& question, const CancelToken& cancel,
                                                        const Publish&) { return work(question, cancel); })) {}
  // The destructor cancels running work and waits for it.
  LatestWork(const LatestWork&) = delete;
  LatestWork& operator=(const LatestWork&) = delete;

  // Call it in every frame that shows the answer. Returns the newest result: of this question or, until that is ready,
  // of an older one; null before the first. Cancels work on another question.
  std::shared_ptr<const Result> want(const Question& question) {
    {
      const auto lock = worker_.lock();
      const bool known = done_ != nullptr && done_->whole && done_->question == question;
      const bool on_its_way = running_ && *running_ == question;
      if (running_ && !on_its_way) worker_.cancel();
      if (known || on_its_way) {
        waiting_.reset();
      } else {
        waiting_ = question;
      }
      if (known) return done_;
    }
    worker_.start();
    const auto lock = worker_.lock();
    return done_;
  }

  // Call it when no view shows the answer any more: cancels work and releases results and the traces that they hold.
  void forget() {
    const auto lock = worker_.lock();
    waiting_.reset();
    worker_.cancel();
    done_.reset();
  }

  bool busy() const { return worker_.busy(); }

 private:
  Worker::Piece take() {
    running_ = std::exchange(waiting_, std::nullopt);
    return [this, question = *running_](const CancelToken& token) { answer(question, token); };
  }

  void answer(const Question& question, const CancelToken& token) {
    auto result = std::make_shared<Result>(Result{question, std::nullopt, "", true});
    bool dropped = false;
    const auto publish = [&](Answer part) {
      check_mapped_files();
      {
        const auto lock = worker_.lock();
        if (token.cancelled()) return;
        done_ = std::make_shared<const Result>(Result{question, std::move(part), "", false});
      }
      worker_.wake();
    };
    try {
      Answer answer = work_(question, token, publish);
      check_mapped_files();
      result->answer = std::move(answer);
    } catch (const Cancelled&) {
      dropped = true;
    } catch (const std::exception& error) {
      result->failure = failure_words(error);
    }
    {
      const auto lock = worker_.lock();
      running_.reset();
      if (!dropped && !token.cancelled()) done_ = std::move(result);
    }
    worker_.wake();
  }

  const WorkInParts work_;
  // Behind the worker's lock.
  std::optional<Question> waiting_, running_;
  std::shared_ptr<const Result> done_;
  Worker worker_;  // last: it ends before what its work uses
};

}  // namespace headscope
