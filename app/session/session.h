// Turns the request draft into a Trace in the background. The newest request wins; the last good result stays
// available.
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
  // Turns a request into its trace. Only one call runs at a time and uses the engine. May pass traces to show before it
  // is done to the EarlyTrace.
  std::function<std::shared_ptr<const Trace>(const Request&, Engine&, const CancelToken&, const EarlyTrace&)> compute =
      [](const Request& request, Engine& by, const CancelToken& cancel, const EarlyTrace& early) {
        return by.run(request, cancel, early);
      };
  EngineOptions engine{kDefaultStageMemory, {}, true, true};
  // Runs jobs; null: a sibling of the executor that computes.
  std::unique_ptr<Executor> job_executor;
  // Edits of one field with shorter pauses than this are one undo step.
  std::chrono::steady_clock::duration coalesce = std::chrono::milliseconds(700);
};

class Session {
 public:
  // `wake` is called from the worker whenever a result is ready (glfwPostEmptyEvent in the app).
  Session(std::unique_ptr<Executor> executor, std::function<void()> wake, SessionOptions options = {});
  // Cancels running work and waits for it.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The panels edit these freely during a frame.
  Request draft;
  ViewState view;

  // Call it once a frame: takes finished results, submits the draft when it changed, records undo steps.
  // A change of one text or number field within `coalesce` of the last one joins its undo step.
  // A run that a newer draft has overtaken may finish, so that results appear during continuous typing. It is cancelled
  // when it is slow (150 ms) and a result came lately (300 ms) or typing has paused (400 ms), but not two runs in a row
  // without a result in between. A run whose preview is shown is cancelled at once.
  void update(std::chrono::steady_clock::time_point now);
  // Seconds after which update() must be called even when no event comes; < 0: never.
  double seconds_until_due(std::chrono::steady_clock::time_point now) const;

  // The newest result, or an early trace of a run that is still computing(); null until the first one exists. Exports
  // wait while Trace::preview is set.
  std::shared_ptr<const Trace> trace() const;
  // Why the draft cannot run, or the last run failed; trace() is then the last good one. nullopt: no problem.
  const std::optional<Problem>& problem() const;
  // An Error while computing the draft (a missing file ...), as a sentence; "" for none.
  const std::string& failure() const;
  // Whether trace() is not that of the draft: a newer one is being computed, or cannot run.
  bool stale() const;
  bool computing() const;
  // Time since the work began or since the last result, whichever is later; zero while idle.
  std::chrono::steady_clock::duration computing_for(std::chrono::steady_clock::time_point now) const;
  // Bytes of stages above which weights are computed when read; applies from the next run on.
  void set_stage_memory(std::int64_t bytes);
  // Computes the draft again, after a file that it names has changed.
  void recompute();

  // Undo keeps Requests and ViewStates; a view change alone makes no step but is restored with one. The layout is
  // unchanged.
  bool can_undo() const;
  bool can_redo() const;
  void undo();
  void redo();
  // The next change starts a new undo step (call it when the focus leaves a field).
  void end_undo_step();

  // Replaces draft and view and forgets undo: opening a session.
  void open(const Request& request, const ViewState& view);

  // Runs work that needs the trace in the background, one at a time (exports). `work` gets a token and reports the
  // share done in [0, 1]; then job() has its result sentence, or that of its error. Any thread may call job().
  struct Job {
    std::string title;
    double progress = 0;  // [0, 1]
    bool running = false;
    bool failed = false;
    std::string result;  // when ended: what was done, or why it failed
    std::chrono::steady_clock::time_point started;
  };
  using JobWork = std::function<std::string(const CancelToken&, const std::function<void(double)>&)>;
  bool start_job(const std::string& title, JobWork work);  // false while one runs
  // Starts a job that computes the shown request on the CPU and on the GPU and reports the times and the differences.
  // False while a job runs, and before the first result.
  bool compare_backends();
  // Starts a job that compares the user's own tensors with the shown result; its answer is then in comparison(). False
  // while a job runs, and before the first result.
  bool compare_tensors(const std::vector<TheirFile>& files);
  std::shared_ptr<const TensorComparison> comparison() const;  // null: none
  void forget_comparison();
  void cancel_job();
  Job job() const;
  void dismiss_job();

  // Pictures and numbers of matrices that are too large to read within a frame; each has a worker of its own.
  MapTiles& maps();
  SliceNumbers& slice_numbers();
  // Numbers for the view over all layers and heads; with a worker of its own.
  ModelNumbers& model_numbers();
  // Numbers for the bug lab; likewise.
  VariantNumbers& variant_numbers();
  // Reports on single numbers; likewise.
  Explanations& explanations();
  PrecisionNumbers& precision_numbers();
  // Comparisons of the pinned and the current result, and sensitivities; a worker each.
  Comparisons& comparisons();
  Differences& differences();
  Sensitivities& sensitivities();
  bool has_background_work() const;  // one of the workers above is busy

  // Keeps trace() as pinned(), whatever is computed later, until unpin() or the end of the session.
  void pin();
  void unpin();
  const std::shared_ptr<const Trace>& pinned() const;  // null: none

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headscope
