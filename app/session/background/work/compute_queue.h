// The queue of requests for the engine: one runs, at most one waits, the newest wins.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/session/background/work/executor.h"
#include "core/attention/engine.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/request/problem.h"

namespace headscope {

using Compute =
    std::function<std::shared_ptr<const Trace>(const Request&, Engine&, const CancelToken&, const EarlyTrace&)>;

// How one run ended, or an early trace of it: exactly one of the last three members is set.
struct Outcome {
  std::uint64_t generation = 0;  // as submit() returned it
  Request request;
  bool early = false;  // true: the run continued after this trace
  std::shared_ptr<const Trace> trace;
  std::optional<Problem> problem;
  std::string failure;
};

class ComputeQueue {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  // Runs on `executor`; `wake` is called by it after every run and with every early trace.
  ComputeQueue(std::unique_ptr<Executor> executor, Compute compute, EngineOptions engine, std::function<void()> wake);
  // Cancels the current run and waits for it.
  ~ComputeQueue();
  ComputeQueue(const ComputeQueue&) = delete;
  ComputeQueue& operator=(const ComputeQueue&) = delete;

  // Replaces the waiting request. Returns its generation, counted from 1. `afresh`: files are read again even when they
  // are cached.
  std::uint64_t submit(const Request& request, TimePoint now, bool afresh = false);

  // The outcomes since the last call: the newest one with a trace, which may be early, and the newest of all
  // (often the same); nullopt when there is none.
  struct Finished {
    std::optional<Outcome> with_trace, newest;
  };
  Finished take_finished(TimePoint now);

  // Cancels a run that a newer request has overtaken, by the rule of Session::update.
  void cancel_overtaken(TimePoint now);
  // Seconds until cancel_overtaken() may cancel a run; < 0: no run is overtaken.
  double seconds_until_due(TimePoint now) const;

  // Bytes of stages above which weights are computed when read; from the next run on.
  void set_stage_memory(std::int64_t bytes) { stage_memory_ = bytes; }

  bool busy() const;                       // a request runs or waits
  Duration busy_for(TimePoint now) const;  // since it became busy, or since the last result

 private:
  struct Waiting {
    std::uint64_t generation = 0;
    Request request;
    TimePoint since;
    bool afresh = false;
  };
  struct Running {
    CancelToken token;
    std::optional<TimePoint> since;  // set by the first call after its start that knows the time
    bool cancelled = false;
    std::uint64_t generation = 0;
    bool previewed = false;
  };

  void run_newest();  // called on the executor
  Outcome outcome_of(const Waiting& work, const CancelToken& token, bool& cancelled);
  // Called on the executor; ignored when that run has ended.
  void take_early(std::uint64_t generation, const Request& request, std::shared_ptr<const Trace> trace);
  std::optional<TimePoint> cancel_time() const;  // with mutex_ held
  void note_running(TimePoint now);              // with mutex_ held

  const Compute compute_;
  const std::function<void()> wake_;
  Engine engine_;  // used by run_newest() only
  std::atomic<std::int64_t> stage_memory_;

  mutable std::mutex mutex_;
  std::uint64_t generation_ = 0;
  std::optional<Waiting> waiting_;
  std::optional<Running> running_;
  bool scheduled_ = false;  // the executor holds a run_newest() that has not begun
  Finished finished_;
  std::optional<TimePoint> busy_since_, result_at_;
  bool cancelled_since_result_ = false;
  std::unique_ptr<Executor> executor_;  // last: it ends before what its work uses
};

// What a UsageError says as a Problem beside its control: "7 does not divide 512; expected a divisor", below it the
// advice.
Problem problem_of(const UsageError& error);

}  // namespace headscope
