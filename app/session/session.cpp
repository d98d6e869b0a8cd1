#include "app/session/session.h"

#include <utility>
#include <vector>

#include "app/session/background/work/compute_queue.h"
#include "app/session/control_words.h"
#include "app/session/moment_size.h"
#include "app/session/session_paths.h"
#include "core/request/same_request.h"

namespace headscope {

using TimePoint = std::chrono::steady_clock::time_point;

namespace {

constexpr std::size_t kLongPhrase = std::size_t{1} << 16;

}  // namespace

struct Session::Impl {
  Impl(std::unique_ptr<Executor> executor, std::function<void()> wake, SessionOptions options)
      : undo(options.coalesce),
        queue(std::move(executor), std::move(options.compute), std::move(options.engine), std::move(wake)) {}

  UndoList undo;
  std::shared_ptr<const Trace> trace;
  Request shown;             // what `trace` was computed from, as it was submitted
  bool shown_early = false;  // the run that made it went on
  std::uint64_t shown_generation = 0;
  std::uint64_t forced_generation = 0;  // of the last recompute(): older traces of the same draft are stale
  std::optional<Request> handled;       // the draft that update() has submitted or refused last
  bool force = false;
  bool takes_update = false;            // the next run is that of take_update()
  std::uint64_t update_generation = 0;  // of that run until it is among the updates; 0: none is awaited
  std::optional<Problem> problem;
  std::string failure;
  std::optional<TimePoint> now;  // of the last update()
  bool begun = false;            // undo has begun: by the first update(), or by resume()
  std::shared_ptr<const Trace> pinned;
  ComputeQueue queue;

  bool shows(const Request& wanted) const {
    return trace != nullptr && shown_generation >= forced_generation && same_request(shown, wanted);
  }

  void set_problem(std::optional<Problem> found) {
    problem = found ? std::optional(control_words(*std::move(found))) : std::nullopt;
  }

  void take_finished(const Request& wanted, TimePoint at) {
    ComputeQueue::Finished finished = queue.take_finished(at);
    if (finished.with_trace && finished.with_trace->generation >= shown_generation) {
      trace = std::move(finished.with_trace->trace);
      shown = std::move(finished.with_trace->request);
      shown_generation = finished.with_trace->generation;
      shown_early = finished.with_trace->early;
    }
    // What went wrong with an older wanted is no news about this one.
    if (finished.newest && same_request(finished.newest->request, wanted)) {
      set_problem(std::move(finished.newest->problem));
      failure = control_words(finished.newest->failure);
    }
  }

  void handle(const Request& wanted, TimePoint at) {
    handled = wanted;
    failure.clear();
    // The words of a long text are counted by the run, which says the same; until it does, the last problem stays.
    const bool is_long = bytes_of_phrases(wanted) > kLongPhrase;
    if (!is_long) set_problem(find_problem(wanted));
    if ((is_long || !problem) && (force || !shows(wanted) || shown_early || queue.busy())) {
      const std::uint64_t generation = queue.submit(wanted, at, force);
      if (force) forced_generation = generation;
      if (takes_update) update_generation = generation;
    }
    force = takes_update = false;
  }
};

EngineOptions window_engine_options() {
  EngineOptions options{kDefaultStageMemory, {}, true, true};
  options.read_request = read_patch_source;
  return options;
}

Session::Session(std::unique_ptr<Executor> executor, std::function<void()> wake, SessionOptions options)
    : background(*executor, wake, options.compute, options.engine),
      jobs(options.job_executor ? std::move(options.job_executor) : executor->make_sibling(Load::alone), wake,
           options.engine.make_backend ? options.engine.make_backend : BackendFactory(headscope::make_backend)),
      impl_(std::make_unique<Impl>(std::move(executor), std::move(wake), std::move(options))) {}

Session::~Session() = default;

void Session::update(TimePoint now) {
  if (!std::exchange(impl_->begun, true)) impl_->undo.reset(present());  // what the first frame starts with is no step
  impl_->now = now;
  jobs.set_time(now);
  impl_->undo.record(draft, view, document, now);
  impl_->take_finished(draft, now);
  const bool edited = !impl_->handled || !same_request(*impl_->handled, draft);
  if (edited) updates.follow();
  if (impl_->force || edited) {
    impl_->handle(draft, now);
    impl_->take_finished(draft, now);  // an inline executor has computed it already
  }
  keep_update();
  impl_->queue.cancel_overtaken(now);
}

void Session::keep_update() {
  const Impl& at = *impl_;
  if (at.update_generation == 0 || at.shown_generation < at.update_generation) return;
  if (at.shown_early || at.trace->preview) return;
  updates.keep(at.trace);
  impl_->update_generation = 0;
}

double Session::seconds_until_due(TimePoint now) const {
  return impl_->queue.seconds_until_due(now);
}

std::shared_ptr<const Trace> Session::trace() const {
  return updates.past() != nullptr ? updates.past()->trace : impl_->trace;
}

const std::optional<Problem>& Session::problem() const {
  return impl_->problem;
}

const std::string& Session::failure() const {
  return impl_->failure;
}

bool Session::stale() const {
  return updates.past() == nullptr && impl_->trace != nullptr && !impl_->shows(draft);
}

bool Session::computing() const {
  return impl_->queue.busy();
}

std::chrono::steady_clock::duration Session::computing_for(TimePoint now) const {
  return impl_->queue.busy_for(now);
}

void Session::set_stage_memory(std::int64_t bytes) {
  impl_->queue.set_stage_memory(bytes);
}

void Session::recompute() {
  impl_->force = true;
}

void Session::take_update(bool replaced) {
  if (!replaced) {
    updates.clear();
  } else if (updates.kept().empty() && impl_->shows(draft) && !impl_->shown_early && !impl_->trace->preview) {
    updates.keep(impl_->trace);
  }
  impl_->force = impl_->takes_update = true;
}

bool Session::can_undo() const {
  return impl_->undo.can_undo();
}

bool Session::can_redo() const {
  return impl_->undo.can_redo();
}

Moment Session::present() const {
  return {draft, view, document};
}

void Session::show(Moment moment) {
  if (moment.document != document) updates.clear();
  draft = std::move(moment.draft);
  view = std::move(moment.view);
  document = std::move(moment.document);
}

void Session::record_edits() {
  if (impl_->begun) impl_->undo.record(draft, view, document, impl_->now.value_or(TimePoint{}));
}

void Session::undo() {
  record_edits();  // an edit of this very frame is the step that is undone
  Moment moment = present();
  impl_->undo.undo(moment);
  show(std::move(moment));
}

void Session::redo() {
  record_edits();
  Moment moment = present();
  impl_->undo.redo(moment);
  show(std::move(moment));
}

void Session::end_undo_step() {
  record_edits();
  impl_->undo.end_step();
}

void Session::open(const Request& request, const ViewState& new_view, const DocumentIdentity& identity) {
  record_edits();
  // A file that is opened again may have been written again.
  if (new_view.main_view == MainView::corpus) background.corpora.forget();
  updates.clear();
  show({request, new_view, identity});
  if (impl_->begun) impl_->undo.open(present());
}

void Session::amend(const Request& request) {
  record_edits();
  draft = request;
  impl_->undo.amend(present());
}

void Session::resume(const Moment& now, Timeline timeline) {
  if (impl_->begun) {
    record_edits();
    std::vector<UndoStep> before = impl_->undo.nearest(kMostUndoSteps).before;
    before.push_back({std::make_shared<const Moment>(present()), true});
    before.insert(before.end(), timeline.before.begin(), timeline.before.end());
    timeline.before = std::move(before);
  }
  show(now);
  impl_->undo.reset(now, std::move(timeline));
  impl_->begun = true;
}

Timeline Session::timeline(std::size_t most) const {
  return impl_->undo.nearest(most);
}

void Session::pin() {
  impl_->pinned = trace();
}

void Session::unpin() {
  impl_->pinned.reset();
  background.comparisons.forget();
  background.differences.forget();
  background.sweeps.forget();
}

const std::shared_ptr<const Trace>& Session::pinned() const {
  return impl_->pinned;
}

}  // namespace headscope
