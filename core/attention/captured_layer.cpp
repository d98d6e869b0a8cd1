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

constexpr const char* kCaptured = "captured";

// The heads of this layer that are to be cleared.
std::vector<LayerHead> ablated_in(const Request& request, const Inputs& inputs) {
  std::vector<LayerHead> heads;
  for (const LayerHead& place : ablated_heads(request)) {
    if (place.layer != inputs.layer) continue;
    if (place.head >= inputs.num_heads) {
      throw UsageError("ablate", fmt::format("there is no head {} in layer {}", place.head, place.layer),
                       fmt::format("0 to {}", inputs.num_heads - 1));
    }
    heads.push_back(place);
  }
  return heads;
}

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
      stage.operation = kCaptured;
    }
  }
}

}  // namespace

std::shared_ptr<Trace> computed_layer(const CaptureRun& run, const CapturedLayer& layer, Inputs inputs, bool causal) {
  if (causal) inputs.own_mask = {MaskTerm{MaskTerm::Kind::causal, 0, ""}};
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
  for (const LayerHead& place : ablated_in(run.request, inputs)) own.ablate.push_back({place, true});
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
  const std::vector<LayerHead> ablated = ablated_in(run.request, inputs);
  if (!ablated.empty() && layer.value.empty()) {
    throw UsageError("ablate", fmt::format("{} holds no values of layer {}, so that its heads have no context to clear",
                                           run.capture.path, inputs.layer));
  }
  const auto trace = std::make_shared<Trace>();
  trace->mask = std::make_shared<const Mask>(build_mask(
      Request(), {},
      {.batch = inputs.batch, .heads = inputs.num_heads, .query_len = inputs.query_len, .key_len = inputs.key_len}));
  trace->backend = run.backend->name();
  trace->backend_description = run.backend->description();
  trace->notice = run.options.notice;
  inputs.value = layer.value;
  if (!layer.value.empty()) trace->stages.push_back({StageId::value, layer.value, kCaptured, false, 0});
  trace->stages.push_back({StageId::weights, layer.weights, kCaptured, false, 0});
  if (!layer.value.empty()) {
    const auto start = std::chrono::steady_clock::now();
    const Tensor weights = layer.weights.stored() ? layer.weights : layer.weights.dense_copy();
    const Tensor value = layer.value.stored() ? layer.value : layer.value.dense_copy();
    Tensor context = run.backend->weighted_values(weights, value, trace->mask->hidden, run.cancel);
    std::vector<std::int64_t> cleared;
    for (const LayerHead& place : ablated) {
      cleared.push_back(place.head);
      for (std::int64_t b = 0; b < inputs.batch; ++b) {
        std::fill_n(context.mutable_data() + b * context.strides()[0] + place.head * context.strides()[1],
                    inputs.query_len * inputs.value_head_dim, 0.0F);
      }
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    trace->stages.push_back(
        {StageId::context, context,
         cleared.empty() ? "· value" : fmt::format("· value, head {} = 0", fmt::join(cleared, ", ")), false, seconds});
    trace->stages.push_back({StageId::concat, merged_heads(context, run.request.merge),
                             run.request.merge == Merge::transpose ? "merge heads" : "reshape, not transposed", false,
                             0});
    trace->seconds = seconds;
  }
  trace->inputs = std::make_shared<const Inputs>(std::move(inputs));
  return trace;
}

}  // namespace headscope
