#include "app/session/session.h"

#include <utility>

#include "app/session/background/compare_backends.h"
#include "app/session/background/compute_queue.h"
#include "app/session/background/precision_numbers.h"
#include "app/session/background/tensor_comparison.h"
#include "app/session/background/variant_numbers.h"
#include "app/session/job_runner.h"
#include "app/session/undo_list.h"
#include "core/request/same_request.h"

namespace headscope {

using TimePoint = std::chrono::steady_clock::time_point;

struct Session::Impl {
  Impl(std::unique_ptr<Executor> executor, std::function<void()> wake, SessionOptions options)
      : undo(options.coalesce),
        make_backend(options.engine.make_backend ? options.engine.make_backend
                                                 : BackendFactory(headscope::make_backend)),
        jobs(options.job_executor ? std::move(options.job_executor) : executor->make_sibling(), wake),
        maps(executor->make_sibling(), wake),
        slice_numbers(executor->make_sibling(), wake),
        model_numbers(executor->make_sibling(), options.compute, options.engine, wake),
        variant_numbers(executor->make_sibling(), wake),
        explanations(executor->make_sibling(), wake),
        precision_numbers(executor->make_sibling(), wake),
        comparisons(
            executor->make_sibling(), wake,
            [](const ComparisonQuery& of, const CancelToken& cancel) { return compare_traces(*of.a, *of.b, cancel); }),
        differences(executor->make_sibling(), wake,
                    [](const DifferenceQuery& of, const CancelToken&) {
                      return difference_matrix(*of.a, *of.b, of.stage, of.batch, of.head);
                    }),
        sensitivities(executor->make_sibling(), wake,
                      [](const SensitivityQuery& of, const CancelToken& cancel) {
                        return sensitivity(*of.trace, of.stage, of.index, cancel);
                      }),
        queue(std::move(executor), std::move(options.compute), std::move(options.engine), std::move(wake)) {}

  UndoList undo;
  const BackendFactory make_backend;
  std::shared_ptr<const Trace> trace;
  Request shown;             // what `trace` was computed from, as it was submitted
  bool shown_early = false;  // the run that made it went on
  std::uint64_t shown_generation = 0;
  std::uint64_t forced_generation = 0;  // of the last recompute(): older traces of the same draft are stale
  std::optional<Request> handled;       // the draft that update() has submitted or refused last
  bool force = false;
  std::optional<Problem> problem;
  std::string failure;
  std::optional<TimePoint> now;  // of the last update()
  TensorComparer comparer;       // before the jobs that use it
  JobRunner jobs;
  MapTiles maps;
  SliceNumbers slice_numbers;
  ModelNumbers model_numbers;
  VariantNumbers variant_numbers;
  Explanations explanations;
  PrecisionNumbers precision_numbers;
  std::shared_ptr<const Trace> pinned;
  Comparisons comparisons;
  Differences differences;
  Sensitivities sensitivities;
  ComputeQueue queue;

  bool shows(const Request& wanted) const {
    return trace != nullptr && shown_generation >= forced_generation && same_request(shown, wanted);
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
      problem = std::move(finished.newest->problem);
      failure = std::move(finished.newest->failure);
    }
  }

  void handle(const Request& wanted, TimePoint at) {
    handled = wanted;
    failure.clear();
    problem = find_problem(wanted);
    if (!problem && (force || !shows(wanted) || shown_early || queue.busy())) {
      const std::uint64_t generation = queue.submit(wanted, at, force);
      if (force) forced_generation = generation;
    }
    force = false;
  }
};

Session::Session(std::unique_ptr<Executor> executor, std::function<void()> wake, SessionOptions options)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(wake), std::move(options))) {
  impl_->undo.reset(draft, view);
}

Session::~Session() = default;

void Session::update(TimePoint now) {
  if (!impl_->now) impl_->undo.reset(draft, view);  // what the first frame starts with is no step
  impl_->now = now;
  impl_->undo.record(draft, view, now);
  impl_->take_finished(draft, now);
  if (impl_->force || !impl_->handled || !same_request(*impl_->handled, draft)) {
    impl_->handle(draft, now);
    impl_->take_finished(draft, now);  // an inline executor has computed it already
  }
  impl_->queue.cancel_overtaken(now);
}

double Session::seconds_until_due(TimePoint now) const {
  return impl_->queue.seconds_until_due(now);
}

std::shared_ptr<const Trace> Session::trace() const {
  return impl_->trace;
}

const std::optional<Problem>& Session::problem() const {
  return impl_->problem;
}

const std::string& Session::failure() const {
  return impl_->failure;
}

bool Session::stale() const {
  return impl_->trace != nullptr && !impl_->shows(draft);
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

bool Session::can_undo() const {
  return impl_->undo.can_undo();
}

bool Session::can_redo() const {
  return impl_->undo.can_redo();
}

void Session::undo() {
  // An edit of this very frame is the step that is undone.
  impl_->undo.record(draft, view, impl_->now.value_or(TimePoint{}));
  impl_->undo.undo(draft, view);
}

void Session::redo() {
  impl_->undo.record(draft, view, impl_->now.value_or(TimePoint{}));
  impl_->undo.redo(draft, view);
}

void Session::end_undo_step() {
  impl_->undo.record(draft, view, impl_->now.value_or(TimePoint{}));
  impl_->undo.end_step();
}

void Session::open(const Request& request, const ViewState& new_view) {
  draft = request;
  view = new_view;
  impl_->undo.reset(draft, view);
}

bool Session::start_job(const std::string& title, JobWork work) {
  return impl_->jobs.start(title, std::move(work), impl_->now.value_or(std::chrono::steady_clock::now()));
}

bool Session::compare_backends() {
  if (impl_->trace == nullptr) return false;
  return start_job("Compare backends", [request = impl_->trace->request, make = impl_->make_backend](
                                           const CancelToken& cancel, const std::function<void(double)>& progress) {
    return headscope::compare_backends(request, make, cancel, progress);
  });
}

bool Session::compare_tensors(const std::vector<TheirFile>& files) {
  if (impl_->trace == nullptr) return false;
  return start_job("Compare with my tensors",
                   [trace = impl_->trace, files, &comparer = impl_->comparer](
                       const CancelToken& cancel, const std::function<void(double)>& progress) {
                     comparer.compare(trace, files, cancel, progress);
                     return std::string();  // the bug lab shows what was found
                   });
}

std::shared_ptr<const TensorComparison> Session::comparison() const {
  return impl_->comparer.newest();
}

void Session::forget_comparison() {
  impl_->comparer.forget();
}

void Session::cancel_job() {
  impl_->jobs.cancel();
}

Session::Job Session::job() const {
  return impl_->jobs.job();
}

void Session::dismiss_job() {
  impl_->jobs.dismiss();
}

MapTiles& Session::maps() {
  return impl_->maps;
}

SliceNumbers& Session::slice_numbers() {
  return impl_->slice_numbers;
}

ModelNumbers& Session::model_numbers() {
  return impl_->model_numbers;
}

VariantNumbers& Session::variant_numbers() {
  return impl_->variant_numbers;
}

Explanations& Session::explanations() {
  return impl_->explanations;
}

PrecisionNumbers& Session::precision_numbers() {
  return impl_->precision_numbers;
}

Comparisons& Session::comparisons() {
  return impl_->comparisons;
}

Differences& Session::differences() {
  return impl_->differences;
}

Sensitivities& Session::sensitivities() {
  return impl_->sensitivities;
}

void Session::pin() {
  impl_->pinned = impl_->trace;
}

void Session::unpin() {
  impl_->pinned.reset();
  impl_->comparisons.forget();
  impl_->differences.forget();
}

const std::shared_ptr<const Trace>& Session::pinned() const {
  return impl_->pinned;
}

bool Session::has_background_work() const {
  return impl_->maps.busy() || impl_->slice_numbers.busy() || impl_->model_numbers.busy() ||
         impl_->variant_numbers.busy() || impl_->explanations.busy() || impl_->precision_numbers.busy() ||
         impl_->comparisons.busy() || impl_->differences.busy() || impl_->sensitivities.busy();
}

}  // namespace headscope
