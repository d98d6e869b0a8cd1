#include "core/attention/captured_layer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "core/attention/input_problem.h"
#include "core/attention/merge_heads.h"
#include "core/attention/stage_sources.h"
#include "core/base/error.h"
#include "core/request/intervention_kinds.h"
#include "core/request/problem.h"

namespace headscope {
namespace {

void keep_stages(Trace& trace, const CapturedLayer& layer) {
  if (layer.value.empty()) {
    // The values stand for nothing, and so does all that is made of them.
    std::vector<StageId> gone = {StageId::value};
    for (const Stage& stage : trace.stages) {
      const std::vector<StageId> sources = feeding_stages(trace, stage.id);
      if (std::find_first_of(sources.begin(), sources.end(), gone.begin(), gone.end()) != sources.end()) {
        gone.push_back(stage.id);
      }
    }
    std::erase_if(trace.stages,
                  [&](const Stage& stage) { return std::find(gone.begin(), gone.end(), stage.id) != gone.end(); });
  }
  for (Stage& stage : trace.stages) {
    if (stage.id == StageId::query || stage.id == StageId::key || stage.id == StageId::value) {
      stage.operation = kCapturedOperation;
    }
  }
  if (layer.weights.empty()) return;
  const auto later = std::find_if(trace.stages.begin(), trace.stages.end(),
                                  [](const Stage& stage) { return stage.id > StageId::captured_weights; });
  trace.stages.insert(later, {StageId::captured_weights, layer.weights, kCapturedOperation, false, 0});
}

// Whether some cell that the mask hides has a captured weight that is not 0.
bool contradicts(const HiddenCells& hidden, const Tensor& weights, const CancelToken& cancel) {
  std::vector<float> row(static_cast<std::size_t>(weights.dim(3)));
  std::vector<std::uint8_t> hides(row.size());
  for (std::int64_t b = 0; b < weights.dim(0); ++b) {
    for (std::int64_t h = 0; h < weights.dim(1); ++h) {
      cancel.check();
      for (std::int64_t i = 0; i < weights.dim(2); ++i) {
        weights.read({{b, b + 1}, {h, h + 1}, {i, i + 1}, {0, weights.dim(3)}}, row);
        hidden.read_row(b, h, i, hides);
        for (std::size_t j = 0; j < row.size(); ++j) {
          // A row that is hidden whole is NaN, or what its program makes of it.
          if (hides[j] != 0 && row[j] != 0.0F && !hidden.all_hidden(b, h, i)) return true;
        }
      }
    }
  }
  return false;
}

}  // namespace

std::vector<LayerHead> ablated_in_layer(const CaptureRun& run, const CapturedLayer& layer, const Inputs& inputs) {
  std::vector<LayerHead> heads;
  for (const LayerHead& place : ablated_heads(run.request)) {
    if (place.layer != inputs.layer) continue;
    if (place.head >= inputs.num_heads) {
      throw UsageError("ablate", fmt::format("there is no head {} in layer {}", place.head, place.layer),
                       fmt::format("0 to {}", inputs.num_heads - 1));
    }
    heads.push_back(place);
  }
  if (!heads.empty() && layer.value.empty()) {
    throw UsageError("ablate", fmt::format("{} holds no values of layer {}, so that its heads have no context to clear",
                                           run.capture.path, inputs.layer));
  }
  return heads;
}

void put_mask(Trace& trace, const Inputs& inputs, const Request& request) {
  trace.mask = std::make_shared<const Mask>(build_mask(
      request, inputs.mask_files,
      {.batch = inputs.batch, .heads = inputs.num_heads, .query_len = inputs.query_len, .key_len = inputs.key_len},
      inputs.own_mask));
  const FullyMaskedRows rows = fully_masked_rows(trace.mask->hidden, inputs.batch, inputs.num_heads);
  trace.fully_masked_rows = rows.count;
  trace.fully_masked_queries = rows.queries;
}

void add_context(const CaptureRun& run, Trace& trace, const Tensor& weights, const std::vector<LayerHead>& ablated) {
  const Inputs& inputs = *trace.inputs;
  const Tensor stored = weights.stored() ? weights : weights.dense_copy();
  const Tensor value = inputs.value.stored() ? inputs.value : inputs.value.dense_copy();
  Tensor context = run.backend->weighted_values(stored, value, trace.mask->hidden, run.cancel);
  std::vector<std::int64_t> cleared;
  for (const LayerHead& place : ablated) {
    cleared.push_back(place.head);
    for (std::int64_t b = 0; b < inputs.batch; ++b) {
      std::fill_n(context.mutable_data() + b * context.strides()[0] + place.head * context.strides()[1],
                  inputs.query_len * inputs.value_head_dim, 0.0F);
    }
  }
  trace.stages.push_back({StageId::context, context,
                          cleared.empty() ? "· value" : fmt::format("· value, head {} = 0", fmt::join(cleared, ", ")),
                          false, 0});
  const bool transposed = run.request.merge == Merge::transpose;
  trace.stages.push_back({StageId::concat, merged_heads(context, run.request.merge),
                          transposed ? "merge heads" : "reshape, not transposed", false, 0});
}

std::shared_ptr<Trace> computed_layer(const CaptureRun& run, const CapturedLayer& layer, Inputs inputs) {
  Inputs whole = inputs;
  whole.query = layer.query;
  whole.key = layer.key;
  whole.value = layer.value;
  if (layer.value.empty()) {
    // One feature is the least that the pass of attention takes; its context is dropped.
    whole.value = Tensor::zeros({inputs.batch, inputs.num_kv_heads, inputs.key_len, 1}, layer.key.axes());
    whole.value_head_dim = 1;
  }
  Request own = run.request;
  own.ablate.clear();
  for (const LayerHead& place : ablated_in_layer(run, layer, inputs)) own.ablate.push_back({place, true});
  if (const std::optional<Problem> problem = find_problem(own, whole)) throw ProblemError(*problem);
  const auto shared = std::make_shared<const Inputs>(std::move(whole));
  const auto trace = std::make_shared<Trace>(*forward(own, shared, run.backend, run.cancel, run.options));
  keep_stages(*trace, layer);
  if (layer.value.empty()) {
    inputs.query = layer.query;
    inputs.key = layer.key;
    trace->inputs = std::make_shared<const Inputs>(std::move(inputs));
  }
  return trace;
}

std::shared_ptr<Trace> captured_layer(const CaptureRun& run, const CapturedLayer& layer, Inputs inputs) {
  const std::vector<LayerHead> ablated = ablated_in_layer(run, layer, inputs);
  const auto start = std::chrono::steady_clock::now();
  const auto trace = std::make_shared<Trace>();
  put_mask(*trace, inputs, Request());
  // A mask that was guessed is one that the weights have.
  const bool said = layer.causal || !layer.mask.values.empty();
  if (said && trace->mask->hidden.any() && contradicts(trace->mask->hidden, layer.weights, run.cancel)) {
    inputs.own_mask.clear();
    inputs.mask_files.clear();
    put_mask(*trace, inputs, Request());
  }
  trace->notice = run.options.notice;
  trace->backend = run.backend->name();
  trace->backend_description = run.backend->description();
  inputs.value = layer.value;
  trace->inputs = std::make_shared<const Inputs>(std::move(inputs));
  if (!layer.value.empty()) trace->stages.push_back({StageId::value, layer.value, kCapturedOperation, false, 0});
  trace->stages.push_back({StageId::weights, layer.weights, kCapturedOperation, false, 0});
  if (!layer.value.empty()) {
    add_context(run, *trace, layer.weights, ablated);
    trace->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return trace;
}

}  // namespace headscope
