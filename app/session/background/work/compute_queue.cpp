#include "app/session/background/work/compute_queue.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "core/base/assert.h"
#include "core/base/memory_advice.h"

namespace headscope {

namespace {

using std::chrono::milliseconds;

// A run that takes less is let finish: its picture is worth more than the little time that is saved.
constexpr milliseconds kSlowRun{150};
// A result this young is still what the eye looks at, so that the next one may be late.
constexpr milliseconds kYoungResult{300};
// A draft that stands this long is what the user waits for.
constexpr milliseconds kTypingPause{400};

}  // namespace

Problem problem_of(const UsageError& error) {
  return {error.option(), error.mismatch(), error.advice(), {}};
}

ComputeQueue::ComputeQueue(std::unique_ptr<Executor> executor, Compute compute, EngineOptions engine,
                           std::function<void()> wake)
    : compute_(std::move(compute)),
      wake_(std::move(wake)),
      engine_(engine),
      stage_memory_(engine.stage_memory),
      executor_(std::move(executor)) {}

ComputeQueue::~ComputeQueue() {
  {
    const std::lock_guard lock(mutex_);
    waiting_.reset();
    if (running_) running_->token.cancel();
  }
  executor_.reset();
}

std::uint64_t ComputeQueue::submit(const Request& request, TimePoint now, bool afresh) {
  std::uint64_t generation = 0;
  bool schedule = false;
  {
    const std::lock_guard lock(mutex_);
    note_running(now);
    generation = ++generation_;
    if (!waiting_ && !running_) busy_since_ = now;
    waiting_ = Waiting{generation, request, now, afresh || (waiting_ && waiting_->afresh)};
    schedule = !scheduled_;
    scheduled_ = true;
  }
  if (schedule) executor_->run([this] { run_newest(); });
  return generation;
}

void ComputeQueue::run_newest() {
  Waiting work;
  CancelToken token;
  {
    const std::lock_guard lock(mutex_);
    scheduled_ = false;
    if (!waiting_) return;
    work = std::move(*waiting_);
    waiting_.reset();
    running_ = Running{token, std::nullopt, false, work.generation, false};
  }
  if (work.afresh) engine_.forget_files();
  engine_.set_stage_memory(stage_memory_);
  bool cancelled = false;
  Outcome outcome = outcome_of(work, token, cancelled);
  outcome.generation = work.generation;
  outcome.request = std::move(work.request);
  {
    const std::lock_guard lock(mutex_);
    running_.reset();
    if (!cancelled) {
      if (outcome.trace != nullptr) finished_.with_trace = outcome;
      finished_.newest = std::move(outcome);
    }
  }
  if (wake_) wake_();
}

void ComputeQueue::take_early(std::uint64_t generation, const Request& request, std::shared_ptr<const Trace> trace) {
  HEADSCOPE_ASSERT(trace != nullptr, "nothing to show early");
  {
    const std::lock_guard lock(mutex_);
    // A compute function that keeps the callback beyond its run would show an old request in the place of a newer one.
    if (!running_ || running_->generation != generation) return;
    running_->previewed = trace->preview;
    finished_.with_trace = Outcome{generation, request, true, std::move(trace), std::nullopt, ""};
  }
  if (wake_) wake_();
}

Outcome ComputeQueue::outcome_of(const Waiting& work, const CancelToken& token, bool& cancelled) {
  Outcome outcome;
  try {
    // Captured by value: a compute function may keep the callback beyond the run.
    outcome.trace =
        compute_(work.request, engine_, token,
                 [this, generation = work.generation, request = work.request](std::shared_ptr<const Trace> trace) {
                   take_early(generation, request, std::move(trace));
                 });
    HEADSCOPE_ASSERT(outcome.trace != nullptr, "a run without a trace");
  } catch (const Cancelled&) {
    cancelled = true;
  } catch (const ProblemError& error) {
    outcome.problem = error.problem();
  } catch (const UsageError& error) {
    outcome.problem = problem_of(error);
  } catch (const Error& error) {
    outcome.failure = error.what();
  } catch (const std::bad_alloc&) {
    outcome.failure = std::string("There is not enough memory for this request; ") + memory_advice() + ".";
  } catch (const std::exception& error) {
    outcome.failure = std::string("A bug in Headscope, please report it: ") + error.what();
  }
  return outcome;
}

ComputeQueue::Finished ComputeQueue::take_finished(TimePoint now) {
  const std::lock_guard lock(mutex_);
  note_running(now);
  Finished finished = std::exchange(finished_, Finished{});
  if (finished.newest || finished.with_trace) {
    result_at_ = now;
    cancelled_since_result_ = false;
  }
  return finished;
}

void ComputeQueue::note_running(TimePoint now) {
  if (running_ && !running_->since) running_->since = now;
}

std::optional<ComputeQueue::TimePoint> ComputeQueue::cancel_time() const {
  if (!running_ || !waiting_ || running_->cancelled) return std::nullopt;
  // What it still computes is on screen but for the last digits, and the next picture waits for it.
  if (running_->previewed) return waiting_->since;
  if (cancelled_since_result_ || !running_->since) return std::nullopt;
  const TimePoint slow = *running_->since + kSlowRun;
  const TimePoint overtaken = std::max(slow, waiting_->since);
  if (result_at_ && overtaken <= *result_at_ + kYoungResult) return overtaken;
  return std::max(slow, waiting_->since + kTypingPause);
}

void ComputeQueue::cancel_overtaken(TimePoint now) {
  const std::lock_guard lock(mutex_);
  note_running(now);
  const std::optional<TimePoint> due = cancel_time();
  if (!due || now < *due) return;
  running_->token.cancel();
  running_->cancelled = true;
  cancelled_since_result_ = true;
}

double ComputeQueue::seconds_until_due(TimePoint now) const {
  const std::lock_guard lock(mutex_);
  // The run has not been seen by a clock yet: soon.
  if (running_ && waiting_ && !running_->since) return 0;
  const std::optional<TimePoint> due = cancel_time();
  if (!due) return -1;
  return std::max(0.0, std::chrono::duration<double>(*due - now).count());
}

bool ComputeQueue::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || waiting_;
}

ComputeQueue::Duration ComputeQueue::busy_for(TimePoint now) const {
  const std::lock_guard lock(mutex_);
  if ((!running_ && !waiting_) || !busy_since_) return Duration::zero();
  const TimePoint since = result_at_ ? std::max(*result_at_, *busy_since_) : *busy_since_;
  return std::max(Duration::zero(), now - since);
}

}  // namespace headscope
