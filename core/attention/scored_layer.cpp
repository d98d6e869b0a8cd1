// Captured scores without queries and keys: mask, softmax and what follows, step by step.
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/captured_layer.h"
#include "core/attention/input_problem.h"
#include "core/attention/merge_heads.h"
#include "core/attention/operation_text.h"
#include "core/attention/score_rule_of.h"
#include "core/attention/stage_sizes.h"
#include "core/backend/score_steps.h"
#include "core/base/error.h"
#include "core/request/intervention_kinds.h"
#include "core/request/memory.h"
#include "core/request/problem.h"
#include "core/request/problem_checks.h"

namespace headscope {
namespace {

Tensor dense(const Tensor& tensor) {
  return tensor.dense() ? tensor : tensor.dense_copy();
}

// What needs queries and keys.
void check_request(const Request& request, const Inputs& inputs, const std::string& path) {
  const auto refuse = [&](const char* option, const char* instead) {
    throw UsageError(
        option, fmt::format("{} holds scores of layer {} without their queries and keys", path, inputs.layer), instead);
  };
  if (request.scale) refuse("scale", "auto: captured scores are scaled already");
  if (request.mask_order != MaskOrder::after_scale) refuse("mask-order", "after-scale");
  for (const Variant variant : request.variants) {
    const bool of_scores = variant == Variant::softmax_over_queries || variant == Variant::mask_inverted ||
                           variant == Variant::mask_after_softmax;
    if (!of_scores) refuse("variant", "softmax-over-queries, mask-inverted or mask-after-softmax");
  }
  if (has_variant(request, Variant::mask_inverted) && !asks_for_mask(request, inputs)) {
    throw ProblemError(
        {"variant", "mask-inverted has no mask to invert", "Choose a mask first.", {{"causal", "mask", "causal"}}});
  }
}

// The stages of one layer, added one after the other.
class ScoredLayer {
 public:
  ScoredLayer(const CaptureRun& run, Trace& trace) : run_(run), trace_(trace) {}

  Tensor add(StageId id, std::string operation, Tensor tensor) {
    trace_.stages.push_back({id, tensor, std::move(operation), false, 0});
    return tensor;
  }

  Tensor masked_scores(Tensor scores, const ScoreRule& rule, const Region& all) {
    const Request& request = trace_.request;
    if (request.softcap) {
      scores = add(StageId::capped_scores, softcap_text(*request.softcap, rule.caps_added()),
                   next_score_stage(StageId::capped_scores, scores, rule, all, run_.cancel));
    }
    if (!rule.masks()) {
      const bool asked = asks_for_mask(request, *trace_.inputs);
      const char* none = !asked ? "no mask" : trace_.mask->hidden.any() ? "masked after softmax" : "mask hides nothing";
      trace_.stages.push_back({StageId::masked_scores, scores, none, true, 0});
      return scores;
    }
    return add(StageId::masked_scores, mask_step_text(request, *trace_.inputs),
               next_score_stage(StageId::masked_scores, scores, rule, all, run_.cancel));
  }

  Tensor weights(const Tensor& masked, const ScoreRule& rule, const Region& all) {
    const Request& request = trace_.request;
    Tensor result;
    if (has_variant(request, Variant::softmax_over_queries)) {
      result = run_.backend->softmax_rows(masked.permuted({0, 1, 3, 2}), nullptr, run_.cancel);
      result = result.permuted({0, 1, 3, 2}).dense_copy();
    } else {
      result = run_.backend->softmax_rows(masked, &trace_.row_statistics, run_.cancel);
    }
    finish_weights(result, rule, all);
    add(StageId::weights, softmax_text(request, rule.mask->hidden.any()), result);
    if (!rule.drops()) return result;
    return add(StageId::dropped_weights, "dropout " + number_text(request.dropout),
               dropped_weights(result, rule, all, run_.cancel));
  }

 private:
  const CaptureRun& run_;
  Trace& trace_;
};

}  // namespace

std::shared_ptr<Trace> scored_layer(const CaptureRun& run, const CapturedLayer& layer, Inputs inputs) {
  const auto start = std::chrono::steady_clock::now();
  check_request(run.request, inputs, run.capture.path);
  const std::vector<LayerHead> ablated = ablated_in_layer(run, layer, inputs);
  if (const auto problem = memory_problem(run.request, stage_sizes_of(inputs), kDefaultMemoryLimit)) {
    throw ProblemError(*problem);
  }
  inputs.value = layer.value;
  const auto trace = std::make_shared<Trace>();
  trace->request = run.request;
  put_mask(*trace, inputs, run.request);
  trace->inputs = std::make_shared<const Inputs>(inputs);
  trace->backend = run.backend->name();
  trace->backend_description = run.backend->description();
  trace->notice = run.options.notice;
  trace->scale = 1;
  ScoreRule rule = score_rule_of(run.request, inputs, trace->mask);
  rule.scale = 1;
  const Region all = whole(layer.scores.shape());
  ScoredLayer stages(run, *trace);
  if (!layer.value.empty()) stages.add(StageId::value, kCapturedOperation, layer.value);
  const Tensor scores = stages.add(StageId::scores, kCapturedOperation, dense(layer.scores));
  const Tensor masked = stages.masked_scores(scores, rule, all);
  const Tensor weights = stages.weights(masked, rule, all);
  if (!layer.weights.empty()) stages.add(StageId::captured_weights, kCapturedOperation, layer.weights);
  if (!layer.value.empty()) add_context(run, *trace, weights, ablated);
  trace->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return trace;
}

}  // namespace headscope
