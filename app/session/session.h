// Turns the request draft into a Trace in the background. The newest request wins; the last good result stays
// available.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/session/background/background.h"
#include "app/session/background/work/executor.h"
#include "app/session/document_identity.h"
#include "app/session/jobs.h"
#include "app/session/undo_list.h"
#include "app/session/updates.h"
#include "app/session/view_state.h"
#include "core/attention/engine.h"
#include "core/request/problem.h"
#include "core/request/request.h"

namespace headscope {

// Those of an engine that serves a window: whole models, used again and again; it reads the sessions of --patch-from.
EngineOptions window_engine_options();

// How a Session works; the defaults are the app's.
struct SessionOptions {
  // Turns a request into its trace. Only one call runs at a time and uses the engine. May pass traces to show before it
  // is done to the EarlyTrace.
  std::function<std::shared_ptr<const Trace>(const Request&, Engine&, const CancelToken&, const EarlyTrace&)> compute =
      [](const Request& request, Engine& by, const CancelToken& cancel, const EarlyTrace& early) {
        return by.run(request, cancel, early);
      };
  EngineOptions engine = window_engine_options();
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

  // The panels edit the draft and the view freely during a frame.
  Request draft;
  ViewState view;
  DocumentIdentity document;
  // Answers to what the views ask about results, and the job that the user waits for. Both have workers of their own,
  // so that neither holds up the draft.
  Background background;
  Jobs jobs;
  // The results of a file that is followed. A draft that was edited is followed from its newest result on; another
  // document begins with none.
  Updates updates;

  // Call it once a frame: takes finished results, submits the draft when it changed, records undo steps.
  // A change of one text or number field within `coalesce` of the last one joins its undo step.
  // A run that a newer draft has overtaken may finish, so that results appear during continuous typing. It is cancelled
  // when it is slow (150 ms) and a result came lately (300 ms) or typing has paused (400 ms), but not two runs in a row
  // without a result in between. A run whose preview is shown is cancelled at once.
  void update(std::chrono::steady_clock::time_point now);
  // Seconds after which update() must be called even when no event comes; < 0: never.
  double seconds_until_due(std::chrono::steady_clock::time_point now) const;

  // What is shown: the newest result, an early trace of a run that is still computing(), or the update that was chosen;
  // null until the first one exists. Exports wait while Trace::preview is set.
  std::shared_ptr<const Trace> trace() const;
  // Why the draft cannot run, or the last run failed; trace() is then the last good one. nullopt: no problem.
  const std::optional<Problem>& problem() const;
  // An Error while computing the draft (a missing file ...), as a sentence; "" for none.
  const std::string& failure() const;
  // Whether trace() is not that of the draft: a newer one is being computed, or cannot run. Not while an update that
  // was chosen is shown.
  bool stale() const;
  bool computing() const;
  // Time since the work began or since the last result, whichever is later; zero while idle.
  std::chrono::steady_clock::duration computing_for(std::chrono::steady_clock::time_point now) const;
  // Bytes of stages above which weights are computed when read; applies from the next run on.
  void set_stage_memory(std::int64_t bytes);
  // Computes the draft again, after a file that it names has changed.
  void recompute();
  // The same of a file that is followed: its results are `updates`, beginning with the one that is shown. Not
  // `replaced`: it was written over, and results before, which may read it, begin anew.
  void take_update(bool replaced = true);

  // Undo brings back draft, view and document. An edit is a step, and so is a document that is opened. A view change
  // alone makes no step but is restored with one. The layout is unchanged.
  bool can_undo() const;
  bool can_redo() const;
  void undo();
  void redo();
  // The next change starts a new undo step (call it when the focus leaves a field).
  void end_undo_step();

  // Another document takes the place of this one: one step of undo. Before the first update() it is where undo begins.
  void open(const Request& request, const ViewState& new_view, const DocumentIdentity& identity = {});
  // The draft becomes `request` within the step that was made last: what an opened document is about comes later.
  void amend(const Request& request);
  // Goes on where an earlier session ended: `now` between the steps of `timeline`. What was done since this one began
  // lies before them, and is reached by undo.
  void resume(const Moment& now, Timeline timeline);
  // The nearest steps of undo and redo, at most `most` of each.
  Timeline timeline(std::size_t most) const;

  // Keeps trace() as pinned(), whatever is computed later, until unpin() or the end of the session.
  void pin();
  void unpin();
  const std::shared_ptr<const Trace>& pinned() const;  // null: none

 private:
  Moment present() const;
  void show(Moment moment);
  void keep_update();   // the result of take_update(), once it is there
  void record_edits();  // what was changed since update() becomes a step of its own

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headscope
