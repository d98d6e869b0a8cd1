#include "core/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

}  // namespace

std::vector<PatchedStage> patches_of_cell(const SweepCell& cell) {
  return {{cell.stage, cell.layer, cell.head, cell.position, true}};
}

Sweep sweep(EngineOptions options, const SweepQuestion& question, const CancelToken& cancel,
            const std::function<void(std::size_t done, std::size_t count)>& progress) {
  check_requests(question);
  options.whole_model = true;
  options.reuse = true;
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
  std::size_t done = 0;
  for (SweepCell& cell : result.cells) {
    if (progress) progress(done++, result.cells.size());
    const bool alone = cell.position && result.found->query_of[static_cast<std::size_t>(*cell.position)] < 0;
    cell.value =
        alone ? result.unpatched : value_of(*engine.run(with_cell(question.patched, cell), cancel), result.position);
  }
  return result;
}

}  // namespace headscope
