#include "core/sweep/sweep.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "core/attention/logit_rows.h"
#include "core/attention/model_forward.h"
#include "core/attention/model_trace.h"
#include "core/attention/output_head.h"
#include "core/attention/patches.h"
#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "core/request/intervention_kinds.h"
#include "core/request/model_kind.h"
#include "core/sweep/sweep_estimate.h"
#include "core/sweep/sweep_source.h"
#include "core/sweep/swept_parts.h"

namespace headscope {
namespace {

// What a head changes goes along the stream to a later one; where an array stands on the way is not known.
void refuse_arrays(const Request& request) {
  visit_arrays(request, [](const auto& kind, const StageArray& array) {
    if (!array.on) return;
    throw UsageError(kind.option.name, "found an array, past which no path is followed",
                     "--patch heads, positions or stages");
  });
}

void check_requests(const SweepQuestion& question) {
  std::vector<const Request*> requests = {&question.patched};
  if (!question.ablation) requests.push_back(&question.source);
  for (const Request* request : requests) {
    if (any_on(request->patches)) {
      throw UsageError("patch", "found patches in a request of the sweep, which puts in its own",
                       "requests without them");
    }
    if (question.patch == SweepPatch::paths) refuse_arrays(*request);
    const bool paths = question.patch == SweepPatch::paths;
    if (shows_decoder(*request) && (paths || question.patch == SweepPatch::neurons)) {
      throw UsageError("attention",
                       fmt::format("found the decoder of a model that has an encoder beside it, {}",
                                   paths ? "through which no path is followed" : "whose neurons are not taken apart"),
                       "--patch heads, positions or stages");
    }
    if (runs_checkpoint(*request)) continue;
    throw UsageError("model",
                     runs_capture(*request) ? "found a capture, which has no layers to run again"
                                            : "found one layer, which has no vocabulary",
                     "--model demo:NAME or PATH, a whole model, in both requests");
  }
  if (!question.mean_over.empty() && question.ablation != Ablation::mean) {
    throw UsageError("mean-over", "found phrases, but no mean that is taken over them", "--ablation mean");
  }
}

std::int64_t vocabulary_of(const Trace& trace) {
  return trace.model->checkpoint->output_head().decoder.weight.dim(0);
}

// Cells whose metric is made of the logits of one position: the decoder goes over several of them at once.
class WaitingCells {
 public:
  explicit WaitingCells(const Sweep& sweep) : sweep_(sweep) {}

  void add(SweepCell& cell, const Tensor& hidden, std::int64_t position, const CancelToken& cancel) {
    const std::int64_t features = hidden.dim(2);
    rows_.resize(rows_.size() + static_cast<std::size_t>(features));
    hidden.read({{0, 1}, {position, position + 1}, {0, features}},
                std::span(rows_).last(static_cast<std::size_t>(features)));
    cells_.push_back(&cell);
    if (cells_.size() == kAtOnce) measure(cancel);
  }

  std::size_t count() const { return cells_.size(); }

  void measure(const CancelToken& cancel) {
    if (cells_.empty()) return;
    const auto count = static_cast<std::int64_t>(cells_.size()), values = static_cast<std::int64_t>(rows_.size());
    const Axes axes{Axis::batch, Axis::position, Axis::feature};
    visit_logit_rows(*sweep_.trace->model, Tensor::of({1, count, values / count}, axes, std::move(rows_)), cancel,
                     [&](std::int64_t row, std::span<const float> logits) {
                       cells_[static_cast<std::size_t>(row)]->value =
                           sweep_.as_asked(metric_of_logits(sweep_.metric, logits, sweep_.reference));
                     });
    rows_ = {};
    cells_.clear();
  }

 private:
  static constexpr std::size_t kAtOnce = 16;
  const Sweep& sweep_;
  std::vector<SweepCell*> cells_;
  std::vector<float> rows_;  // [cells, d_model]
};

}  // namespace

namespace {

using Progress = std::function<void(const Sweep& so_far, std::size_t known)>;

// Gives every cell the metric of its run.
void run_cells(Sweep& sweep, const SweepSource& numbers, ModelOptions options, const CancelToken& cancel,
               const Progress& progress) {
  const ModelTrace& model = *sweep.trace->model;
  if (sweep.metric.has_position()) options.final_from = sweep.position;
  ModelForward models;  // keeps the layers that the next cell does not change
  WaitingCells waiting(sweep);
  for (SweepCell& cell : sweep.cells) cell.value = sweep.unpatched;
  std::size_t done = 0;
  for (SweepCell& cell : sweep.cells) {
    if (progress) progress(sweep, done - waiting.count());
    ++done;
    if (cell.position && sweep.found->query_of[static_cast<std::size_t>(*cell.position)] < 0) continue;
    const auto run =
        models.run(numbers.request_of(cell), numbers.inputs_of(cell, cancel), model.backend, cancel, options);
    if (is_of_logits(sweep.metric)) {
      waiting.add(cell, run->model->final_hidden, sweep.position, cancel);
    } else {
      cell.value = sweep.as_asked(sweep_metric_of(*run->model, sweep.metric, sweep.position, sweep.reference, cancel));
    }
  }
  waiting.measure(cancel);
}

// The position of the metric in the run whose numbers are put in; nullopt where it has no partner there, or the run
// another vocabulary.
std::optional<std::int64_t> partner_of_position(const Sweep& sweep, const Trace& source) {
  const std::int64_t partner = sweep.found->query_of[static_cast<std::size_t>(sweep.position)];
  if (partner < 0 || vocabulary_of(source) != vocabulary_of(*sweep.trace)) return std::nullopt;
  return partner;
}

// Whether the run that is patched is the clean one.
bool patches_clean(const SweepQuestion& question) {
  return question.ablation || question.direction == SweepDirection::noise;
}

// ln softmax of the run that the metric is held against; empty where it is held against none.
std::vector<double> reference_of(const Sweep& sweep, const SweepQuestion& question, const Trace* source,
                                 const CancelToken& cancel) {
  const MetricReference against = sweep.metric.against();
  if (against == MetricReference::none) return {};
  if (against == MetricReference::unpatched || patches_clean(question)) {
    return log_probabilities(*sweep.trace->model, sweep.position, cancel);
  }
  const std::optional<std::int64_t> partner = partner_of_position(sweep, *source);
  if (!partner) {
    throw UsageError("metric",
                     fmt::format("found {}, but A has no partner of position {}, or another vocabulary",
                                 question.metric, sweep.position),
                     "a position that both texts have");
  }
  return log_probabilities(*source->model, *partner, cancel);
}

// The ends of a share of a way, from the metrics of both runs.
RecoveredEnds ends_of(const Sweep& sweep, const SweepQuestion& question) {
  if (question.ablation || !sweep.source) {
    throw UsageError("metric",
                     question.ablation ? "found recovered, but an ablation has no corrupt and clean run"
                                       : "found recovered, but the position has no partner in A",
                     "--against with a text that has the position");
  }
  const bool clean = patches_clean(question);
  const RecoveredEnds ends =
      clean ? RecoveredEnds{*sweep.source, sweep.unpatched} : RecoveredEnds{sweep.unpatched, *sweep.source};
  if (std::isfinite(ends.clean - ends.corrupt) && ends.clean != ends.corrupt) return ends;
  throw UsageError(
      "metric",
      fmt::format("found recovered, but the corrupt run has {} and the clean one {}", ends.corrupt, ends.clean),
      "two runs between which the metric differs");
}

// The metric of the run whose numbers are put in; nullopt where it has no such number.
std::optional<double> metric_of_source(const Sweep& sweep, const Trace& source, const CancelToken& cancel) {
  const SweepMetric& metric = sweep.metric;
  if (metric.kind == SweepMetric::Kind::cell) {
    const auto cell = cell_in_source(*sweep.trace->model, *metric.cell, *sweep.found);
    if (!cell || !has_cell(*source.model, *cell)) return std::nullopt;
    return measured_value(*source.model, *cell);
  }
  const std::optional<std::int64_t> partner = partner_of_position(sweep, source);
  if (metric.has_position() && !partner) return std::nullopt;
  return sweep_metric_of(*source.model, metric, partner.value_or(0), sweep.reference, cancel);
}

// Both runs as they are.
void measure_runs(Sweep& sweep, const SweepQuestion& question, const Trace* source, const CancelToken& cancel) {
  sweep.reference = reference_of(sweep, question, source, cancel);
  sweep.unpatched = sweep_metric_of(*sweep.trace->model, sweep.metric, sweep.position, sweep.reference, cancel);
  if (source != nullptr) sweep.source = metric_of_source(sweep, *source, cancel);
  if (!sweep.metric.recovered) return;
  sweep.ends = ends_of(sweep, question);
  sweep.unpatched = sweep.as_asked(sweep.unpatched);
  sweep.source = sweep.as_asked(*sweep.source);
}

// Of the cells, whose values and estimates are known.
std::optional<double> correlation_in(const Sweep& sweep) {
  std::vector<double> values, estimates;
  for (const SweepCell& cell : sweep.cells) {
    values.push_back(cell.value);
    estimates.push_back(cell.estimate.value());
  }
  return correlation_of(values, estimates);
}

}  // namespace

namespace {

EngineOptions engine_of(EngineOptions options, const std::shared_ptr<Request>& source) {
  options.whole_model = true;
  options.reuse = false;
  options.read_request = [source](const std::string&) { return *source; };
  return options;
}

ModelOptions options_of_cells(const EngineOptions& options) {
  ModelOptions of_cells;
  of_cells.stage_memory = options.stage_memory;
  of_cells.reuse = of_cells.whole_model = true;
  return of_cells;
}

}  // namespace

SweepRunner::SweepRunner(EngineOptions options)
    : source_(std::make_shared<Request>()),
      cell_options_(options_of_cells(options)),
      engine_(engine_of(std::move(options), source_)) {}

std::shared_ptr<const Inputs> SweepRunner::read(const Request& request, const CancelToken& cancel) {
  return engine_.read(request, cancel);
}

Sweep sweep(EngineOptions options, const SweepQuestion& question, const CancelToken& cancel, const Progress& progress) {
  return SweepRunner(std::move(options)).run(question, cancel, progress);
}

Sweep SweepRunner::run(const SweepQuestion& question, const CancelToken& cancel, const Progress& progress) {
  check_requests(question);
  check_ends(question);
  *source_ = question.source;
  Sweep result;
  result.patch = question.patch;
  result.into = question.into.has_value();
  result.trace = engine_.run(question.patched, cancel);
  const ModelTrace& model = *result.trace->model;
  result.metric = parse_sweep_metric(*model.checkpoint, question.metric);
  if (result.metric.cell) result.metric.cell = settled_cell(model, *result.metric.cell);
  result.position = metric_position(*result.trace, question.at);
  if (question.estimate != SweepEstimate::none) check_estimate(result, patches_clean(question));
  result.cells = swept_parts(*result.trace, question);
  const SweepSource numbers(engine_, question, result.trace, result.cells, cancel);
  result.found = numbers.found();
  measure_runs(result, question, numbers.source().get(), cancel);
  if (question.estimate != SweepEstimate::none) estimate_cells(result, numbers, cancel);
  if (question.estimate == SweepEstimate::alone) {
    for (SweepCell& cell : result.cells) cell.value = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  run_cells(result, numbers, cell_options_, cancel, progress);
  if (question.estimate == SweepEstimate::beside) result.correlation = correlation_in(result);
  return result;
}

}  // namespace headscope
