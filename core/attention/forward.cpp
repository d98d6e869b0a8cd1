#include "core/attention/forward.h"
#include "core/attention/merge_heads.h"
#include "core/attention/score_rule_of.h"
#include "core/attention/stage_sizes.h"
#include "core/request/one_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/attention/attention_pass.h"
#include "core/attention/edited_weights.h"
#include "core/attention/hidden_weight.h"
#include "core/attention/interventions.h"
#include "core/attention/merged_on_demand.h"
#include "core/attention/operation_text.h"
#include "core/attention/position_scores.h"
#include "core/attention/projection_steps.h"
#include "core/attention/put_numbers.h"
#include "core/attention/readings.h"
#include "core/attention/trace_builder.h"
#include "core/backend/backend_factory.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/model/head_rule.h"
#include "core/model/past.h"
#include "core/model/row_norm.h"
#include "core/request/intervention_kinds.h"
#include "core/request/memory.h"

namespace headscope {
namespace {

// Adds query, key or value as it lies, or, where the request multiplies it, a copy.
Tensor add_heads(TraceBuilder& trace, StageId id, const char* operation, const Tensor& heads) {
  const Request& request = trace.trace().request;
  const std::vector<HeadFactor>* factors = factors_of(request, id);
  if (factors == nullptr || factors->empty()) return trace.add_view(id, operation, heads);
  return trace.add(id, operation, [&] { return with_head_factors(request, id, trace.layer(), heads); });
}

Heads given_heads(TraceBuilder& trace, const Inputs& inputs) {
  const char* keys = past_of(inputs) == nullptr ? "from file" : "from files, the past first";
  return {add_heads(trace, StageId::query, "from file", inputs.query), add_heads(trace, StageId::key, keys, inputs.key),
          add_heads(trace, StageId::value, keys, inputs.value)};
}

// Adds the stage, after the positions of the past and before that of bias_k or bias_v where there are some: then it is
// a copy.
Tensor add_positions(TraceBuilder& trace, StageId id, const char* operation, const Tensor& heads,
                     const Inputs& inputs) {
  const Past* past = id == StageId::query ? nullptr : past_of(inputs);
  const bool is_key = id == StageId::key;
  const Tensor bias = id == StageId::query ? Tensor() : is_key ? inputs.weights.bias_k : inputs.weights.bias_v;
  if (bias.empty() && past == nullptr) return add_heads(trace, id, operation, heads);
  const std::string before = past == nullptr ? "" : "the past, then ";
  const std::string after = bias.empty() ? "" : is_key ? ", then bias_k" : ", then bias_v";
  return trace.add(id, before + operation + after, [&] {
    Tensor all = past == nullptr ? heads : joined_heads(is_key ? past->key : past->value, heads);
    if (!bias.empty()) all = with_bias_position(all, bias);
    return with_head_factors(trace.trace().request, id, trace.layer(), all);
  });
}

// Adds query, key or value, with the model's bounds, norm and rotary positions where it has them: then it is a copy,
// only the rows that the last trace does not have.
Tensor add_turned(TraceBuilder& trace, StageId id, const char* operation, const Tensor& heads, const Inputs& inputs) {
  const HeadRule* whole = inputs.head_rule.get();
  const bool is_query = id == StageId::query, is_value = id == StageId::value;
  if (whole == nullptr || !(is_query   ? whole->changes_queries()
                            : is_value ? whole->changes_values()
                                       : whole->changes_keys())) {
    return add_positions(trace, id, operation, heads, inputs);
  }
  HEADSCOPE_ASSERT(inputs.weights.bias_k.empty(), "a key of bias_k has no position");
  const HeadRule rule = is_value ? whole->of_values() : *whole;
  const Tensor& norm = is_query ? rule.query_norm : rule.key_norm;
  return trace.add(id, heads_text(operation, rule, norm), [&] {
    const Axes axes{Axis::batch, Axis::head, Axis::position, Axis::feature};
    TraceBuilder::Rows rows = trace.memory_of(id, heads.shape(), axes, 2);
    turn_heads(rule, norm, heads, rows.done, heads.dim(2), rows.tensor);
    return with_head_factors(trace.trace().request, id, trace.layer(), rows.tensor);
  });
}

// qkv_split, qkv_heads, then query, key and value as slices of every head's own features.
Heads heads_of_per_head_projection(TraceBuilder& trace, const Inputs& inputs, const Tensor& qkv) {
  const std::int64_t features = inputs.head_dim;
  const Tensor split = trace.add_view(StageId::qkv_split, "split heads",
                                      qkv.reshaped({qkv.dim(0), qkv.dim(1), inputs.num_heads, 3 * features},
                                                   {Axis::batch, Axis::position, Axis::head, Axis::feature}));
  const Tensor all = trace.add_view(StageId::qkv_heads, "transpose", split.permuted({0, 2, 1, 3}));
  Heads heads;
  heads.query = add_turned(trace, StageId::query, "split", all.sliced(3, 0, features), inputs);
  heads.key = add_turned(trace, StageId::key, "split", all.sliced(3, features, 2 * features), inputs);
  heads.value = add_turned(trace, StageId::value, "split", all.sliced(3, 2 * features, 3 * features), inputs);
  return heads;
}

// Of queries, keys and values: what is projected, and what comes out.
struct Projections {
  Tensor query, key, value;
};

// Three products, or, from a fused blocked projection, three slices of one.
Projections projections_of(TraceBuilder& trace, const Request& request, const Inputs& inputs, const Projections& of,
                           const Backend& backend) {
  const QkvLayout layout = read_layout_of(request, inputs.weights);
  const bool cross = !inputs.key_x.empty();
  if (inputs.weights.fused() && !cross) {
    const Linear& fused = inputs.weights.qkv;
    const Tensor qkv = add_projection(
        trace, {.id = StageId::qkv, .operation = product_text("Wqkv", fused), .x = of.query, .layer = fused}, backend);
    const std::int64_t keys = part_features(inputs, Part::query);
    const std::int64_t values = keys + part_features(inputs, Part::key);
    return {trace.add_view(StageId::query_proj, "split", qkv.sliced(2, 0, keys)),
            trace.add_view(StageId::key_proj, "split", qkv.sliced(2, keys, values)),
            trace.add_view(StageId::value_proj, "split", qkv.sliced(2, values, qkv.dim(2)))};
  }
  auto project = [&](StageId id, const char* matrix, Part part, const Tensor& from) {
    const Linear linear = part_of(inputs, layout, part);
    return add_projection(
        trace, {.id = id, .operation = product_text(matrix, linear), .x = from, .layer = linear, .own_rows = !cross},
        backend);
  };
  Projections result;
  result.query = project(StageId::query_proj, "Wq", Part::query, of.query);
  result.key = project(StageId::key_proj, "Wk", Part::key, of.key);
  result.value = project(StageId::value_proj, "Wv", Part::value, of.value);
  return result;
}

}  // namespace

Heads projected_heads(TraceBuilder& trace, const Request& request, const Inputs& inputs, const Backend& backend) {
  const std::string embedding = embedding_text(request, inputs);
  const LayerWeights& weights = inputs.weights;
  const Tensor x = trace.add(StageId::input, embedding, [&] { return inputs.x; });
  Tensor key_input = x;
  Tensor value_input = x;
  if (!inputs.key_x.empty()) {
    const std::string of_keys = key_input_text(request, inputs);
    key_input = trace.add_view(StageId::key_input, of_keys, inputs.key_x);
    const bool same = inputs.value_x.empty() || same_storage(inputs.value_x, inputs.key_x);
    // Each is a place of its own: an edit of one is none of the other.
    const bool edited =
        has_edits(request, inputs.layer, StageId::key_input) || has_edits(request, inputs.layer, StageId::value_input);
    value_input = same && !edited ? trace.add_equal(StageId::value_input, "= key_input", key_input)
                                  : trace.add_view(StageId::value_input, of_keys,
                                                   inputs.value_x.empty() ? inputs.key_x : inputs.value_x);
  }
  const bool per_head = weights.fused() && read_layout_of(request, weights) == QkvLayout::per_head;
  if (per_head && inputs.key_x.empty()) {
    const Tensor qkv = add_projection(
        trace, {.id = StageId::qkv, .operation = product_text("Wqkv", weights.qkv), .x = x, .layer = weights.qkv},
        backend);
    return heads_of_per_head_projection(trace, inputs, qkv);
  }
  const Projections projected = projections_of(trace, request, inputs, {x, key_input, value_input}, backend);
  Heads heads;
  heads.query =
      add_turned(trace, StageId::query, "split heads", split_heads(projected.query, inputs.num_heads), inputs);
  heads.key = add_turned(trace, StageId::key, "split heads", split_heads(projected.key, inputs.num_kv_heads), inputs);
  heads.value =
      add_turned(trace, StageId::value, "split heads", split_heads(projected.value, inputs.num_kv_heads), inputs);
  return heads;
}

namespace {

// Heads merged, only the rows that the last trace does not have.
Tensor concat_of(TraceBuilder& builder, const Tensor& context, Merge merge) {
  if (merge == Merge::direct || !context.stored()) return merged_heads(context, merge);
  const std::int64_t len = context.dim(2);
  TraceBuilder::Rows rows = builder.memory_of(StageId::concat, {context.dim(0), len, context.dim(1) * context.dim(3)},
                                              {Axis::batch, Axis::position, Axis::feature}, 1);
  if (rows.done < len) {
    Tensor fresh = rows.tensor.writable_sliced(1, rows.done, len);
    merge_heads_into(context.sliced(2, rows.done, len), fresh);
  }
  return rows.tensor;
}

// Whether arrays or patches change scores or weights: then they are kept, and what follows from them.
bool keeps_changed_scores(const Request& request, std::int64_t layer, bool can_keep) {
  const std::string option = scores_changed_by(request, layer);
  if (option.empty()) return false;
  if (can_keep) return true;
  throw UsageError(option, "the scores are too large to be kept, and so to be changed",
                   "fewer tokens, a stage other than scores and weights, or more memory for stages");
}

}  // namespace

// The stage, and what the model's norm makes of it where it has one.
void add_output(TraceBuilder& builder, const Tensor& concat, const Inputs& inputs,
                const std::shared_ptr<const Backend>& backend) {
  const Linear& layer = inputs.weights.output;
  const std::string product = product_text("Wo", layer);
  const Tensor output =
      concat.stored()
          ? add_projection(builder, {.id = StageId::output, .operation = product, .x = concat, .layer = layer},
                           *backend)
          : builder.add(StageId::output, product,
                        [&] { return projected_on_demand(concat, layer, with_cpu_fallback(backend)); });
  if (inputs.output_norm == nullptr) return;
  const RowNorm& norm = *inputs.output_norm;
  builder.add(StageId::attention_norm_out, norm.text(), [&] {
    if (!output.stored()) return normed_on_demand(norm, output);
    TraceBuilder::Rows rows = builder.memory_of(StageId::attention_norm_out, output.shape(), output.axes(), 1);
    norm_rows(norm, output, rows.done, rows.tensor);
    return rows.tensor;
  });
}

std::shared_ptr<const Trace> forward(const Request& request, std::shared_ptr<const Inputs> inputs,
                                     const std::shared_ptr<const Backend>& backend, const CancelToken& cancel,
                                     const ForwardOptions& options) {
  const TraceBuilder::Clock::time_point start = TraceBuilder::Clock::now();
  const Trace* before = options.previous.get();
  inputs = with_edited_weights(request, inputs, before == nullptr ? nullptr : &before->request,
                               before == nullptr ? nullptr : before->inputs.get());
  const auto trace = std::make_shared<Trace>();
  trace->request = request;
  trace->inputs = inputs;
  trace->backend = backend->name();
  trace->backend_description = backend->description();
  trace->notice = options.notice;
  trace->readings = options.readings;
  for (std::string& reading : readings_of(request, *inputs)) trace->readings.push_back(std::move(reading));
  trace->seeded_weights = inputs->query.empty() && request.weights.empty() && request.model == "seeded";
  trace->scale = scale_of(request, *inputs);
  if (softcap_of(request, *inputs) != request.softcap) {
    Request filled = request;
    filled.softcap = inputs->softcap;
    trace->filled = std::make_shared<const Request>(std::move(filled));
  }
  const bool extra_key = !inputs->weights.bias_k.empty();
  trace->mask = std::make_shared<const Mask>(build_mask(with_past(request, *inputs), inputs->mask_files,
                                                        {.batch = inputs->batch,
                                                         .heads = inputs->num_heads,
                                                         .query_len = inputs->query_len,
                                                         .key_len = inputs->key_len + (extra_key ? 1 : 0),
                                                         .extra_key = extra_key},
                                                        inputs->own_mask));
  const bool keep_weights = stage_bytes(request, stage_sizes_of(*inputs)) <= static_cast<double>(options.stage_memory);
  const bool one_pass = in_one_pass(request) && !keeps_changed_scores(request, inputs->layer, keep_weights);
  const bool on_demand = one_pass && !keep_weights;
  // What is kept and what is computed when read do not mix.
  const bool same_way = options.previous != nullptr && (options.previous->on_demand != nullptr) == on_demand;
  const Reuse reuse(same_way ? options.previous : nullptr, request, *inputs, *trace->mask);
  if (options.buffers != nullptr) {
    options.buffers->begin(reuse);
    trace->kept_positions = reuse.same_positions();
    trace->kept_queries = on_demand ? 0 : reuse.same_queries();
  }
  const FullyMaskedRows hidden_rows = fully_masked_rows(trace->mask->hidden, inputs->batch, inputs->num_heads);
  trace->fully_masked_rows = hidden_rows.count;
  trace->fully_masked_queries = hidden_rows.queries;
  TraceBuilder builder(*trace, reuse, options.buffers, cancel);
  const Heads heads =
      inputs->query.empty() ? projected_heads(builder, request, *inputs, *backend) : given_heads(builder, *inputs);
  add_position_scores(builder, heads, *backend);
  const ScoreRule rule = score_rule_of(request, *inputs, trace->mask);
  const Tensor context = !one_pass      ? attention_step_by_step(builder, heads, rule, backend)
                         : keep_weights ? attention_in_one_pass(builder, heads, rule, backend)
                                        : attention_on_demand(builder, heads, rule, backend);
  const Tensor concat =
      builder.add(StageId::concat, request.merge == Merge::transpose ? "merge heads" : "reshape, not transposed",
                  [&] { return concat_of(builder, context, request.merge); });
  if (!inputs->weights.output.empty()) add_output(builder, concat, *inputs, backend);
  trace->hidden_weight = hidden_weight_of(*trace, cancel);
  if (options.buffers != nullptr) options.buffers->complete();
  trace->seconds = std::chrono::duration<double>(TraceBuilder::Clock::now() - start).count();
  return trace;
}

}  // namespace headscope
