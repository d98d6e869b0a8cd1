#include "core/attention/attention_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/attention/interventions.h"
#include "core/attention/on_demand.h"
#include "core/attention/operation_text.h"
#include "core/attention/put_numbers.h"
#include "core/attention/row_edits.h"
#include "core/attention/sink_weights.h"
#include "core/backend/backend_factory.h"
#include "core/backend/operands.h"
#include "core/backend/score_steps.h"
#include "core/base/assert.h"
#include "core/request/intervention_kinds.h"
#include "core/tensor/copy_values.h"

namespace headscope {
namespace {

// A score-like stage that is not kept: computed when read.
Tensor score_tensor(StageId stage, const std::shared_ptr<const OnDemand>& source,
                    const std::shared_ptr<const RowEdits>& edits) {
  return Tensor::computed(source->score_shape(), {Axis::batch, Axis::head, Axis::query, Axis::key},
                          [stage, source, edits](const Region& region, std::span<float> out) {
                            source->read_scores(stage, region, out);
                            if (edits != nullptr) edits->apply(stage, region, out, {});
                          });
}

// Null when nothing changes a row.
std::shared_ptr<const RowEdits> row_edits_of(const Trace& trace, const Heads& heads, const ScoreRule& rule,
                                             const std::shared_ptr<const Backend>& backend) {
  if (!intervenes(trace.request)) return nullptr;
  auto edits = std::make_shared<const RowEdits>(trace.request, *trace.inputs, heads, rule, with_cpu_fallback(backend));
  return edits->any() ? edits : nullptr;
}

// raw_scores ... masked_scores, each made by `stage_of`.
template <typename StageOf>
void add_scores(TraceBuilder& builder, const ScoreRule& rule, const std::string& product, StageOf&& stage_of) {
  const Trace& trace = builder.trace();
  const Request& request = trace.request;
  const auto edited = [&](StageId stage) { return has_edits(request, builder.layer(), stage); };
  const std::string scaling = scale_text(request, *trace.inputs, trace.scale);
  const std::string masking = mask_step_text(request, *trace.inputs);
  const Tensor raw = builder.add(StageId::raw_scores, product, [&] { return stage_of(StageId::raw_scores); });
  if (rule.mask_order == MaskOrder::before_scale && rule.masks()) {
    const Tensor scores =
        builder.add(StageId::scores, masking + " " + scaling, [&] { return stage_of(StageId::scores); });
    const char* done = "masked before scaling";
    if (edited(StageId::masked_scores)) {
      builder.add(StageId::masked_scores, done, [&] { return stage_of(StageId::masked_scores); });
    } else {
      builder.add_equal(StageId::masked_scores, done, scores);
    }
    return;
  }
  Tensor scores = trace.scale == 1.0 && !edited(StageId::scores)
                      ? builder.add_equal(StageId::scores, scaling, raw)
                      : builder.add(StageId::scores, scaling, [&] { return stage_of(StageId::scores); });
  if (trace.as_computed().softcap) {
    scores = builder.add(StageId::capped_scores, softcap_text(*trace.as_computed().softcap, rule.caps_added()),
                         [&] { return stage_of(StageId::capped_scores); });
  }
  const char* none = !asks_for_mask(request, *trace.inputs) ? "no mask"
                     : trace.mask->hidden.any()             ? "masked after softmax"
                                                            : "mask hides nothing";
  if (!rule.masks() && !edited(StageId::masked_scores)) {
    builder.add_equal(StageId::masked_scores, none, scores);
    return;
  }
  builder.add(StageId::masked_scores, rule.masks() ? masking : none, [&] { return stage_of(StageId::masked_scores); });
}

// The ablated heads of [batch, heads, query, feature] to zero.
void clear_ablated(const Request& request, Tensor& context) {
  const Strides& steps = context.strides();
  for (const LayerHead& ablated : ablated_heads(request)) {
    for (std::int64_t b = 0; b < context.dim(0); ++b) {
      for (std::int64_t i = 0; i < context.dim(2); ++i) {
        std::fill_n(context.mutable_data() + b * steps[0] + ablated.head * steps[1] + i * steps[2], context.dim(3),
                    0.0F);
      }
    }
  }
}

// The same in a region of it that was read.
void clear_ablated(const std::vector<std::int64_t>& heads, const Region& region, std::span<float> values) {
  const auto size = static_cast<std::size_t>(region[2].size() * region[3].size());
  std::size_t at = 0;
  for (std::int64_t b = region[0].begin; b < region[0].end; ++b) {
    for (std::int64_t h = region[1].begin; h < region[1].end; ++h, at += size) {
      if (std::find(heads.begin(), heads.end(), h) != heads.end()) std::fill_n(values.begin() + at, size, 0.0F);
    }
  }
}

// Row statistics whose first `done` queries are those of `before`.
RowStatistics statistics_after(const RowStatistics& before, const Shape& scores, std::int64_t done) {
  RowStatistics result = sized_row_statistics(scores);
  if (done == 0) return result;
  for (const auto& [from, to] : {std::pair{&before.max, &result.max}, std::pair{&before.sum, &result.sum}}) {
    Tensor rows = to->writable_sliced(2, 0, done);
    copy_values(from->sliced(2, 0, done), rows);
  }
  return result;
}

// Dropout and context from weights that the last trace has.
Tensor context_of_kept_weights(TraceBuilder& builder, const Tensor& weights, const Heads& heads, const ScoreRule& rule,
                               const Backend& backend) {
  const Request& request = builder.trace().request;
  Tensor kept = weights;
  if (rule.drops()) {
    kept = builder.add(StageId::dropped_weights, "dropout " + number_text(request.dropout), [&] {
      const Tensor dense = weights.dense() ? weights : weights.dense_copy();
      return with_edits(edits_of(request, builder.layer(), StageId::dropped_weights),
                        dropped_weights(dense, rule, whole(weights.shape()), builder.cancel()));
    });
  }
  add_sink_weights(builder, rule);
  return builder.add(StageId::context, context_text(request), [&] {
    Tensor context = backend.weighted_values(kept, heads.value, rule.mask->hidden, builder.cancel());
    clear_ablated(request, context);
    return context;
  });
}

}  // namespace

Tensor attention_in_one_pass(TraceBuilder& builder, const Heads& heads, const ScoreRule& rule,
                             const std::shared_ptr<const Backend>& backend) {
  Trace& trace = builder.trace();
  const Request& request = trace.request;
  const auto source =
      std::make_shared<const OnDemand>(with_cpu_fallback(backend), heads.query, heads.key, heads.value, rule);
  const std::shared_ptr<const RowEdits> edits = row_edits_of(trace, heads, rule, backend);
  add_scores(builder, rule, "q · kᵀ", [&](StageId stage) { return score_tensor(stage, source, edits); });
  const Shape shape = source->score_shape();
  const Axes axes{Axis::batch, Axis::head, Axis::query, Axis::key};
  const std::string softmax = softmax_text(request, rule.mask->hidden.any());
  const Stage* same = builder.reuse().unchanged(StageId::weights);
  if (same != nullptr && same->tensor.stored()) {
    const Tensor weights = builder.add_view(StageId::weights, softmax, same->tensor);
    trace.row_statistics = builder.reuse().previous()->row_statistics;
    return context_of_kept_weights(builder, weights, heads, rule, *backend);
  }
  AttentionResults results;
  builder.add(StageId::weights, softmax, [&] {
    const auto [weights, done] = builder.memory_of(StageId::weights, shape, axes, 2);
    results.weights = weights;
    std::int64_t first = done;
    if (rule.drops()) {
      const TraceBuilder::Rows dropped = builder.memory_of(StageId::dropped_weights, shape, axes, 2);
      results.dropped = dropped.tensor;
      first = std::min(first, dropped.done);
    }
    const Shape context_shape{shape[0], shape[1], shape[2], heads.value.dim(3)};
    const TraceBuilder::Rows context =
        builder.memory_of(StageId::context, context_shape, {Axis::batch, Axis::head, Axis::position, Axis::feature}, 2);
    results.context = context.tensor;
    first = std::min(first, context.done);
    const Trace* previous = builder.reuse().previous();
    results.statistics = statistics_after(first > 0 ? previous->row_statistics : RowStatistics{}, shape, first);
    if (first == shape[2]) return results.weights;
    const auto rows = [&](Tensor& tensor) {
      return tensor.empty() ? Tensor() : tensor.writable_sliced(2, first, shape[2]);
    };
    AttentionResults fresh{rows(results.weights),
                           rows(results.dropped),
                           {rows(results.statistics.max), rows(results.statistics.sum)},
                           rows(results.context)};
    backend->attention({.query = heads.query, .key = heads.key, .rule = rule}, heads.value,
                       {{0, shape[0]}, {0, shape[1]}, {first, shape[2]}}, fresh, builder.cancel());
    if (edits != nullptr) {
      HEADSCOPE_ASSERT(first == 0, std::to_string(first) + " rows of the last trace");
      edits->apply(fresh, builder.cancel());
    }
    clear_ablated(request, fresh.context);
    return results.weights;
  });
  trace.row_statistics = results.statistics;
  if (rule.drops()) {
    builder.add_view(StageId::dropped_weights, "dropout " + number_text(request.dropout), results.dropped);
  }
  add_sink_weights(builder, rule);
  return builder.add_view(StageId::context, context_text(request), results.context);
}

Tensor attention_on_demand(TraceBuilder& builder, const Heads& heads, const ScoreRule& rule,
                           const std::shared_ptr<const Backend>& backend) {
  Trace& trace = builder.trace();
  const Request& request = trace.request;
  const Reuse& reuse = builder.reuse();
  const bool same = reuse.unchanged(StageId::weights) != nullptr && reuse.unchanged(StageId::value) != nullptr &&
                    (!rule.drops() || reuse.unchanged(StageId::dropped_weights) != nullptr) &&
                    reuse.previous()->on_demand != nullptr && reuse.previous()->on_demand->drops() == rule.drops();
  const auto source =
      same ? reuse.previous()->on_demand
           : std::make_shared<const OnDemand>(with_cpu_fallback(backend), heads.query, heads.key, heads.value, rule);
  trace.on_demand = source;
  const std::shared_ptr<const RowEdits> edits = row_edits_of(trace, heads, rule, backend);
  trace.row_edits = edits;
  add_scores(builder, rule, "q · kᵀ", [&](StageId stage) { return score_tensor(stage, source, edits); });
  builder.add_view(StageId::weights, softmax_text(request, rule.mask->hidden.any()),
                   score_tensor(StageId::weights, source, edits));
  if (rule.drops()) {
    builder.add_view(StageId::dropped_weights, "dropout " + number_text(request.dropout),
                     score_tensor(StageId::dropped_weights, source, edits));
  }
  add_sink_weights(builder, rule);
  std::vector<std::int64_t> ablated;
  for (const LayerHead& head : ablated_heads(request)) ablated.push_back(head.head);
  const Shape shape = source->score_shape();
  return builder.add_view(StageId::context, context_text(request),
                          Tensor::computed({shape[0], shape[1], shape[2], heads.value.dim(3)},
                                           {Axis::batch, Axis::head, Axis::position, Axis::feature},
                                           [source, ablated, edits](const Region& region, std::span<float> out) {
                                             source->read_context(region, ablated, out);
                                             if (edits == nullptr) return;
                                             edits->apply_to_context(region, out, {});
                                             clear_ablated(ablated, region, out);
                                           }));
}

Tensor attention_step_by_step(TraceBuilder& builder, const Heads& heads, const ScoreRule& rule,
                              const std::shared_ptr<const Backend>& backend) {
  Trace& trace = builder.trace();
  const CancelToken& cancel = builder.cancel();
  const Request& request = trace.request;
  const bool transposed = !has_variant(request, Variant::key_not_transposed);
  const Tensor key = transposed ? heads.key : heads.key.permuted({0, 1, 3, 2});
  const Region all{{0, heads.query.dim(0)}, {0, heads.query.dim(1)}, {0, heads.query.dim(2)}, {0, key.dim(2)}};
  const RowEdits edits(request, *trace.inputs, heads, rule, backend);
  const auto edited = [&](StageId stage, const Tensor& tensor) {
    return edits.edited(stage, with_changes(request, *trace.inputs, builder.layer(), stage_name(stage), tensor));
  };
  add_scores(builder, rule, transposed ? "q · kᵀ" : "q · k, not transposed", [&](StageId stage) {
    if (stage == StageId::raw_scores) {
      return edited(stage, backend->query_key_products(heads.query, key, all, cancel));
    }
    const Tensor& before = trace.stages.back().tensor;
    return edited(stage, next_score_stage(stage, before.dense() ? before : before.dense_copy(), rule, all, cancel));
  });
  if (builder.reuse().unchanged(StageId::weights) != nullptr) {
    trace.row_statistics = builder.reuse().previous()->row_statistics;
  }
  Tensor weights = builder.add(StageId::weights, softmax_text(request, rule.mask->hidden.any()), [&] {
    const Tensor& scores = trace.tensor(StageId::masked_scores);
    const Tensor masked = scores.stored() ? scores : scores.dense_copy();
    Tensor result;
    if (has_variant(request, Variant::softmax_over_queries)) {
      const Tensor by_column = backend->softmax_rows(masked.permuted({0, 1, 3, 2}), nullptr, cancel);
      result = by_column.permuted({0, 1, 3, 2}).dense_copy();
    } else {
      result = softmax_of(*backend, masked, rule, all[1], &trace.row_statistics, cancel);
    }
    finish_weights(result, rule, all);
    edits.freeze(result);
    return edited(StageId::weights, result);
  });
  if (rule.drops()) {
    weights = builder.add(StageId::dropped_weights, "dropout " + number_text(request.dropout), [&] {
      return edited(StageId::dropped_weights,
                    dropped_weights(weights.dense() ? weights : weights.dense_copy(), rule, all, cancel));
    });
  }
  add_sink_weights(builder, rule);
  return builder.add(StageId::context, context_text(request), [&] {
    Tensor context = backend->weighted_values(weights, heads.value, rule.mask->hidden, cancel);
    clear_ablated(request, context);
    return context;
  });
}

}  // namespace headscope
