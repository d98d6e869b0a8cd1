// Request draft -> Trace. The newest request wins; the last good result is always there.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/background/background_queries.h"
#include "app/session/background/executor.h"
#include "app/session/background/explanations.h"
#include "app/session/background/map_tiles.h"
#include "app/session/background/model_numbers.h"
#include "app/session/background/slice_numbers.h"
#include "app/session/view_state.h"
#include "core/attention/engine.h"
#include "core/request/problem.h"
#include "core/request/request.h"

namespace headscope {

class PrecisionNumbers;   // app/session/background/precision_numbers.h
class VariantNumbers;     // app/session/background/variant_numbers.h
struct TensorComparison;  // app/session/background/tensor_comparison.h
struct TheirFile;

// How a Session works; the defaults are the app's.
struct SessionOptions {
  // Turns a request into its trace. Called by one piece of work at a time; the engine belongs to it. May hand over
  // traces to be shown until it is done.
  std::function<std::shared_ptr<const Trace>(const Request&, Engine&, const CancelToken&, const EarlyTrace&)> compute =
      [](const Request& request, Engine& by, const CancelToken& cancel, const EarlyTrace& early) {
        return by.run(request, cancel, early);
      };
  EngineOptions engine{kDefaultStageMemory, {}, true, true};
  // Runs jobs; nothing: a sibling of the executor that computes.
  std::unique_ptr<Executor> job_executor;
  // Typing with no longer pauses is one undo step.
  std::chrono::steady_clock::duration coalesce = std::chrono::milliseconds(700);
};

class Session {
 public:
  // `wake` is called from the worker whenever a result is ready (glfwPostEmptyEvent in the app).
  Session(std::unique_ptr<Executor> executor, std::function<void()> wake, SessionOptions options = {});
  // Cancels what runs and waits for it.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // What the panels edit, freely, during a frame.
  Request draft;
  ViewState view;

  // Once a frame: takes finished results over, submits the draft when it changed, records undo steps.
  // A change of one text or number field within `coalesce` of the last one joins its undo step.
  // A run that a newer draft has overtaken may finish, so that continuous typing always shows something; it is
  // cancelled when it is slow (150 ms) and a result came lately (300 ms) or typing has paused (400 ms), and never twice
  // without a result in between. One whose preview is shown gives way at once.
  void update(std::chrono::steady_clock::time_point now);
  // Seconds after which update() has something to decide even when no event comes; < 0: never.
  double seconds_until_due(std::chrono::steady_clock::time_point now) const;

  // The newest result, or what a run has to show before its end (then it is still computing()); null until the first
  // one is there. What leaves the program waits while Trace::preview is set.
  std::shared_ptr<const Trace> trace() const;
  // Why the draft cannot run, or the last run failed; the trace is then the last good one.
  const std::optional<Problem>& problem() const;
  // The world refused while computing the draft (a missing file ...): a sentence, or empty.
  const std::string& failure() const;
  // The trace shown is not of the draft: a newer one is on its way, or cannot run.
  bool stale() const;
  bool computing() const;
  // Since the work began or since the last result came, whichever is later; zero while idle.
  std::chrono::steady_clock::duration computing_for(std::chrono::steady_clock::time_point now) const;
  // Bytes of stages that are kept; above, weights are computed when read. From the next run on.
  void set_stage_memory(std::int64_t bytes);
  // Forces the draft through again, after a file that it names has changed.
  void recompute();

  // Undo keeps Requests and ViewStates; a view change alone makes no step but is restored with one. Layout, theme and
  // scale of the interface are left as they are.
  bool can_undo() const;
  bool can_redo() const;
  void undo();
  void redo();
  // The next change starts an undo step of its own (focus left a field).
  void end_undo_step();

  // Replaces draft and view and forgets undo: opening a session.
  void open(const Request& request, const ViewState& view);

  // Runs work that needs the trace in the background, one at a time (exports). `work` gets a token and reports its
  // share done; the result sentence (or the error's) is then in job(). Any thread may ask for job().
  struct Job {
    std::string title;
    double progress = 0;  // [0, 1]
    bool running = false;
    bool failed = false;
    std::string result;  // when ended: what was written, or why not
    std::chrono::steady_clock::time_point started;
  };
  using JobWork = std::function<std::string(const CancelToken&, const std::function<void(double)>&)>;
  bool start_job(const std::string& title, JobWork work);  // false while one runs
  // A job that computes the request on screen on the CPU and on the GPU, and says how long each took and how far they
  // differ. False while a job runs, and before there is a result.
  bool compare_backends();
  // A job that holds the user's own tensors against the result on screen; what it finds is then in comparison(). False
  // while a job runs, and before there is a result.
  bool compare_tensors(const std::vector<TheirFile>& files);
  std::shared_ptr<const TensorComparison> comparison() const;  // null: none
  void forget_comparison();
  void cancel_job();
  Job job() const;
  void dismiss_job();

  // What panels look at of matrices that are too large to walk over in a frame; each has a worker of its own.
  MapTiles& maps();
  SliceNumbers& slice_numbers();
  // What the view over all layers and heads shows; a worker of its own, too.
  ModelNumbers& model_numbers();
  // What the bug lab shows; likewise.
  VariantNumbers& variant_numbers();
  // Where single numbers come from.
  Explanations& explanations();
  PrecisionNumbers& precision_numbers();
  // Results kept beside the current one, and what is asked of both; a worker each.
  Comparisons& comparisons();
  Differences& differences();
  Sensitivities& sensitivities();
  bool has_background_work() const;  // one of them has something to do

  // Keeps trace() as `pinned()`, whatever is computed afterwards, until it is unpinned or the session ends.
  void pin();
  void unpin();
  const std::shared_ptr<const Trace>& pinned() const;  // null: nothing is

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headscope
