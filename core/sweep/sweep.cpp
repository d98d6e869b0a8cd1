#include "core/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
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
    if (shows_decoder(*request) && question.patch == SweepPatch::paths) {
      throw UsageError("attention",
                       "found the decoder of a model that has an encoder beside it, through which no path is followed",
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

void check_head(const char* option, const LayerHead& place, const Trace& trace, bool sends) {
  const auto layers = static_cast<std::int64_t>(trace.model->layers.size());
  const std::int64_t first = sends ? 0 : 1, end = sends ? layers - 1 : layers;
  const std::string found = fmt::format("found {}:{}", place.layer, place.head);
  if (place.layer < first || place.layer >= end) {
    throw UsageError(option, fmt::format("{}, but a path goes from a layer to a later one of {}", found, layers),
                     first < end ? fmt::format("a layer from {} to {}", first, end - 1) : "a model of several layers");
  }
  const std::int64_t heads = trace.num_heads();
  if (place.head < 0 || place.head >= heads) {
    throw UsageError(option, fmt::format("{}, but a layer has {} heads", found, heads),
                     fmt::format("a head from 0 to {}", heads - 1));
  }
}

// Adds the cells of paths from one head into heads of a later layer, or into the one that is named.
void add_paths(const Trace& trace, const LayerHead& from, std::int64_t layer, const std::optional<std::int64_t>& head,
               std::vector<SweepCell>& cells) {
  const std::int64_t shared = trace.num_heads() / trace.inputs->num_kv_heads;
  for (const StageId stage : kPathStages) {
    const bool query = stage == StageId::query;
    const std::int64_t count = query ? trace.num_heads() : trace.inputs->num_kv_heads;
    for (std::int64_t h = 0; h < count; ++h) {
      if (head && h != (query ? *head : *head / shared)) continue;
      cells.push_back({layer, h, {}, std::string(stage_name(stage)), 0, {}, from});
    }
  }
}

std::vector<SweepCell> paths_of(const Trace& trace, const SweepQuestion& question) {
  std::vector<SweepCell> cells;
  if (question.from) {
    check_head("from", *question.from, trace, true);
    const auto layers = static_cast<std::int64_t>(trace.model->layers.size());
    for (std::int64_t layer = question.from->layer + 1; layer < layers; ++layer) {
      add_paths(trace, *question.from, layer, {}, cells);
    }
    return cells;
  }
  check_head("into", *question.into, trace, false);
  for (std::int64_t layer = 0; layer < question.into->layer; ++layer) {
    for (std::int64_t h = 0; h < trace.num_heads(); ++h) {
      add_paths(trace, {layer, h}, question.into->layer, question.into->head, cells);
    }
  }
  return cells;
}

// The cells of the sweep, without their values.
std::vector<SweepCell> cells_of(const Trace& trace, const SweepQuestion& question) {
  if (question.patch == SweepPatch::paths) return paths_of(trace, question);
  std::vector<SweepCell> cells;
  const std::vector<std::string> stages = sweep_stages(trace, question.ablation);
  const auto layers = static_cast<std::int64_t>(trace.model->layers.size());
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    switch (question.patch) {
      case SweepPatch::heads:
        for (std::int64_t h = 0; h < trace.num_heads(); ++h) {
          cells.push_back({layer, h, {}, std::string(stage_name(StageId::context)), 0});
        }
        break;
      case SweepPatch::positions:
        for (std::int64_t i = 0; i < trace.query_len(); ++i) cells.push_back({layer, {}, i, kStreamPatch, 0});
        break;
      case SweepPatch::stages:
        for (const std::string& stage : stages) cells.push_back({layer, {}, {}, stage, 0});
        break;
      case SweepPatch::paths:
        break;
    }
  }
  return cells;
}

std::int64_t vocabulary_of(const Trace& trace) {
  return trace.model->checkpoint->output_head().decoder.weight.dim(0);
}

// Cells whose metric is made of the logits of one position: the decoder goes over several of them at once.
class WaitingCells {
 public:
  WaitingCells(const ModelTrace& model, const SweepMetric& metric, const std::vector<double>& unpatched)
      : model_(model), metric_(metric), unpatched_(unpatched) {}

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
    visit_logit_rows(model_, Tensor::of({1, count, values / count}, axes, std::move(rows_)), cancel,
                     [&](std::int64_t row, std::span<const float> logits) {
                       cells_[static_cast<std::size_t>(row)]->value = metric_of_logits(metric_, logits, unpatched_);
                     });
    rows_ = {};
    cells_.clear();
  }

 private:
  static constexpr std::size_t kAtOnce = 16;
  const ModelTrace& model_;
  const SweepMetric& metric_;
  const std::vector<double>& unpatched_;
  std::vector<SweepCell*> cells_;
  std::vector<float> rows_;  // [cells, d_model]
};

}  // namespace

void check_ends(const SweepQuestion& question) {
  const bool ends = question.from || question.into;
  if (question.patch == SweepPatch::paths && !ends) {
    throw UsageError("from", "missing; --patch paths needs a head that paths begin at, or with --into end at",
                     "--from LAYER:HEAD or --into LAYER:HEAD");
  }
  if (question.patch != SweepPatch::paths && ends) {
    throw UsageError(
        question.from ? "from" : "into",
        fmt::format("found it with --patch {}", kSweepPatchNames[static_cast<std::size_t>(question.patch)]),
        "--patch paths");
  }
  if (question.from && question.into) {
    throw UsageError("into", "found --from beside it; a path is followed from one head or into one", "one of both");
  }
}

std::vector<std::string> sweep_stages(const Trace& trace, const std::optional<Ablation>& ablation) {
  std::vector<std::string> stages;
  for (const StageId stage : kSweepStages) stages.emplace_back(stage_name(stage));
  const Architecture& architecture = trace.model->checkpoint->architecture();
  if (architecture.norms_result()) stages.emplace_back(stage_name(StageId::attention_norm_out));
  if (architecture.mlp != Architecture::Mlp::none) stages.emplace_back(kMlpPatch);
  if (ablation == Ablation::mean) std::erase_if(stages, [](const std::string& stage) { return !has_mean(stage); });
  return stages;
}

namespace {

using Progress = std::function<void(const Sweep& so_far, std::size_t known)>;

// Gives every cell the metric of its run.
void run_cells(Sweep& sweep, const SweepSource& numbers, ModelOptions options, const std::vector<double>& unpatched,
               const CancelToken& cancel, const Progress& progress) {
  const ModelTrace& model = *sweep.trace->model;
  if (sweep.metric.has_position()) options.final_from = sweep.position;
  ModelForward models;  // keeps the layers that the next cell does not change
  WaitingCells waiting(model, sweep.metric, unpatched);
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
      cell.value = sweep_metric_of(*run->model, sweep.metric, sweep.position, unpatched, cancel);
    }
  }
  waiting.measure(cancel);
}

// The metric of the run whose numbers are put in; nullopt where it has no such number.
std::optional<double> metric_of_source(const Sweep& sweep, const Trace& source, const std::vector<double>& unpatched,
                                       const CancelToken& cancel) {
  const SweepMetric& metric = sweep.metric;
  if (metric.kind == SweepMetric::Kind::cell) {
    const auto cell = cell_in_source(*sweep.trace->model, *metric.cell, *sweep.found);
    if (!cell || !has_cell(*source.model, *cell)) return std::nullopt;
    return measured_value(*source.model, *cell);
  }
  const std::int64_t partner = sweep.found->query_of[static_cast<std::size_t>(sweep.position)];
  const bool comparable = partner >= 0 && vocabulary_of(source) == vocabulary_of(*sweep.trace);
  if (metric.has_position() && !comparable) return std::nullopt;
  return sweep_metric_of(*source.model, metric, partner, unpatched, cancel);
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

Sweep sweep(EngineOptions options, const SweepQuestion& question, const CancelToken& cancel, const Progress& progress) {
  check_requests(question);
  check_ends(question);
  options.whole_model = true;
  options.reuse = false;
  ModelOptions cell_options;
  cell_options.stage_memory = options.stage_memory;
  cell_options.reuse = cell_options.whole_model = true;
  options.read_request = [source = question.source](const std::string&) { return source; };
  Engine engine(std::move(options));
  Sweep result;
  result.patch = question.patch;
  result.into = question.into.has_value();
  result.trace = engine.run(question.patched, cancel);
  const ModelTrace& model = *result.trace->model;
  result.metric = parse_sweep_metric(*model.checkpoint, question.metric);
  if (result.metric.cell) result.metric.cell = settled_cell(model, *result.metric.cell);
  result.position = metric_position(*result.trace, question.at);
  if (question.estimate != SweepEstimate::none) check_estimate(result);
  std::vector<double> unpatched;
  if (result.metric.kind == SweepMetric::Kind::kl) unpatched = log_probabilities(model, result.position, cancel);
  result.unpatched = sweep_metric_of(model, result.metric, result.position, unpatched, cancel);
  result.cells = cells_of(*result.trace, question);
  const SweepSource numbers(engine, question, result.trace, result.cells, cancel);
  result.found = numbers.found();
  if (numbers.source() != nullptr) result.source = metric_of_source(result, *numbers.source(), unpatched, cancel);
  if (question.estimate != SweepEstimate::none) estimate_cells(result, numbers, unpatched, cancel);
  if (question.estimate == SweepEstimate::alone) {
    for (SweepCell& cell : result.cells) cell.value = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  run_cells(result, numbers, cell_options, unpatched, cancel, progress);
  if (question.estimate == SweepEstimate::beside) result.correlation = correlation_in(result);
  return result;
}

}  // namespace headscope
