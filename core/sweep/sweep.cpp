#include "core/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
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
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

// What the engine calls the session of the source: it is no file.
constexpr const char* kSource = "the source of the sweep";

void check_requests(const SweepQuestion& question) {
  for (const Request* request : {&question.patched, &question.source}) {
    if (any_on(request->patches)) {
      throw UsageError("patch", "found patches in a request of the sweep, which puts in its own",
                       "requests without them");
    }
    if (shows_decoder(*request)) {
      throw UsageError("attention", "found the decoder of a model that has an encoder beside it, which is not swept",
                       "a model that is one stack of layers");
    }
    if (runs_checkpoint(*request)) continue;
    throw UsageError("model",
                     runs_capture(*request) ? "found a capture, which has no layers to run again"
                                            : "found one layer, which has no vocabulary",
                     "--model demo:NAME or PATH, a whole model, in both requests");
  }
}

std::int64_t position_of(const Trace& trace, const std::optional<std::int64_t>& given) {
  const std::int64_t len = trace.query_len();
  if (given) {
    if (*given < len) return *given;
    throw UsageError("at", fmt::format("found position {}, but there are {} tokens", *given, len),
                     fmt::format("0 to {}", len - 1));
  }
  const auto tokenizer = trace.model->checkpoint->tokenizer();
  const std::optional<std::int64_t> mask = tokenizer == nullptr ? std::nullopt : tokenizer->special().mask;
  const std::vector<std::int64_t>& ids = trace.inputs->token_ids;
  const auto found = mask ? std::find(ids.begin(), ids.end(), *mask) : ids.end();
  return found == ids.end() ? len - 1 : found - ids.begin();
}

// The cells of the sweep, without their values.
std::vector<SweepCell> cells_of(const Trace& trace, SweepPatch patch) {
  std::vector<SweepCell> cells;
  const auto layers = static_cast<std::int64_t>(trace.model->layers.size());
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    switch (patch) {
      case SweepPatch::heads:
        for (std::int64_t h = 0; h < trace.num_heads(); ++h) {
          cells.push_back({layer, h, {}, std::string(stage_name(StageId::context)), 0});
        }
        break;
      case SweepPatch::positions:
        for (std::int64_t i = 0; i < trace.query_len(); ++i) cells.push_back({layer, {}, i, kStreamPatch, 0});
        break;
      case SweepPatch::stages:
        for (const StageId stage : kSweepStages) cells.push_back({layer, {}, {}, std::string(stage_name(stage)), 0});
        break;
    }
  }
  return cells;
}

std::int64_t vocabulary_of(const Trace& trace) {
  return trace.model->checkpoint->output_head().decoder.weight.dim(0);
}

// The request of a cell, on the engine's own name of the source.
Request with_cell(Request request, const SweepCell& cell) {
  request.patches = patches_of_cell(cell);
  request.patch_from = kSource;
  return request;
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

std::vector<PatchedStage> patches_of_cell(const SweepCell& cell) {
  return {{cell.stage, cell.layer, cell.head, cell.position, true}};
}

Sweep sweep(EngineOptions options, const SweepQuestion& question, const CancelToken& cancel,
            const std::function<void(const Sweep& so_far, std::size_t known)>& progress) {
  check_requests(question);
  options.whole_model = true;
  options.reuse = false;
  ModelOptions cell_options;
  cell_options.stage_memory = options.stage_memory;
  cell_options.reuse = cell_options.whole_model = true;
  options.read_request = [source = question.source](const std::string&) { return source; };
  Engine engine(std::move(options));
  Sweep result;
  result.trace = engine.run(question.patched, cancel);
  const ModelTrace& model = *result.trace->model;
  result.metric = parse_sweep_metric(*model.checkpoint, question.metric);
  result.position = position_of(*result.trace, question.at);
  std::vector<double> unpatched;
  if (result.metric.kind == SweepMetric::Kind::kl) unpatched = log_probabilities(model, result.position, cancel);
  const auto value_of = [&](const Trace& trace, std::int64_t position) {
    return sweep_metric_of(*trace.model, result.metric, position, unpatched, cancel);
  };
  result.unpatched = value_of(*result.trace, result.position);
  result.cells = cells_of(*result.trace, question.patch);
  // The first patch says how positions are matched.
  result.found = engine.read(with_cell(question.patched, result.cells.front()), cancel)->patches;
  const std::shared_ptr<const Trace>& source = engine.patch_source();
  const std::int64_t partner = result.found->query_of[static_cast<std::size_t>(result.position)];
  const bool of_text = result.metric.kind == SweepMetric::Kind::loss;
  if (of_text || (partner >= 0 && vocabulary_of(*source) == vocabulary_of(*result.trace))) {
    result.source = value_of(*source, partner);
  }
  if (!of_text) cell_options.final_from = result.position;
  ModelForward models;  // keeps the layers that the next cell does not change
  WaitingCells waiting(model, result.metric, unpatched);
  for (SweepCell& cell : result.cells) cell.value = result.unpatched;
  std::size_t done = 0;
  for (SweepCell& cell : result.cells) {
    if (progress) progress(result, done - waiting.count());
    ++done;
    if (cell.position && result.found->query_of[static_cast<std::size_t>(*cell.position)] < 0) continue;
    const Request request = with_cell(question.patched, cell);
    const auto run = models.run(request, engine.read(request, cancel), model.backend, cancel, cell_options);
    if (is_of_logits(result.metric)) {
      waiting.add(cell, run->model->final_hidden, result.position, cancel);
    } else {
      cell.value = value_of(*run, result.position);
    }
  }
  waiting.measure(cancel);
  return result;
}

}  // namespace headscope
