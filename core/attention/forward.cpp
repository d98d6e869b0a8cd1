#include "core/attention/forward.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <utility>

#include "core/assert.h"
#include "core/attention/memory.h"
#include "core/attention/on_demand.h"
#include "core/attention/projection_steps.h"
#include "core/attention/score_steps.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The trace while it grows.
class TraceBuilder {
 public:
  TraceBuilder(Trace& trace, const CancelToken& cancel) : trace_(trace), cancel_(cancel) {}

  // Something that takes time.
  Tensor add(StageId id, std::string operation, const std::function<Tensor()>& compute) {
    cancel_.check();
    const Clock::time_point start = Clock::now();
    Tensor tensor = compute();
    trace_.stages.push_back({id, tensor, std::move(operation), false, seconds_since(start)});
    return tensor;
  }

  // Something that only reads what is there in another way.
  Tensor add_view(StageId id, std::string operation, Tensor tensor) {
    trace_.stages.push_back({id, tensor, std::move(operation), false, 0.0});
    return tensor;
  }

  // Nothing was done.
  Tensor add_equal(StageId id, std::string operation, Tensor tensor) {
    trace_.stages.push_back({id, tensor, std::move(operation), true, 0.0});
    return tensor;
  }

 private:
  Trace& trace_;
  const CancelToken& cancel_;
};

struct Heads {
  Tensor query, key, value;
};

std::string product_text(const char* matrix, const Linear& linear) {
  return linear.bias.empty() ? fmt::format("x · {}", matrix) : fmt::format("x · {} + b", matrix);
}

std::string number_of(double value) {
  return fmt::format("{}", value);
}

// "÷ √64", "× 0.2"
std::string scale_text(const Request& request, const Inputs& inputs, double scale) {
  if (has_variant(request, Variant::no_scale)) return "not scaled";
  if (has_variant(request, Variant::scale_by_d_model)) {
    return fmt::format("÷ √{} (d_model)", inputs.query.empty() ? inputs.d_model : inputs.num_heads * inputs.head_dim);
  }
  return request.scale ? "× " + number_of(scale) : fmt::format("÷ √{}", inputs.head_dim);
}

std::string term_text(const MaskTerm& term) {
  switch (term.kind) {
    case MaskTerm::Kind::causal:
      return "causal";
    case MaskTerm::Kind::padding:
      return fmt::format("padding {}", term.size);
    case MaskTerm::Kind::window:
      return fmt::format("window {}", term.size);
    case MaskTerm::Kind::prefix:
      return fmt::format("prefix {}", term.size);
    case MaskTerm::Kind::file:
      return "file";
  }
  HEADSCOPE_ASSERT(false, "mask term " + std::to_string(static_cast<int>(term.kind)));
  return {};
}

// "+ causal mask", "+ causal, padding 2 mask", "no mask"
std::string mask_step_text(const Request& request) {
  if (request.mask.empty()) return "no mask";
  std::string terms;
  for (const MaskTerm& term : request.mask) terms += (terms.empty() ? "" : ", ") + term_text(term);
  return fmt::format("+ {}{} mask", has_variant(request, Variant::mask_inverted) ? "inverted " : "", terms);
}

Heads given_heads(TraceBuilder& trace, const Inputs& inputs) {
  return {trace.add_view(StageId::query, "from file", inputs.query),
          trace.add_view(StageId::key, "from file", inputs.key),
          trace.add_view(StageId::value, "from file", inputs.value)};
}

// Adds the stage, with the position of bias_k or bias_v after the others when there is one: then it is a copy.
Tensor add_with_bias(TraceBuilder& trace, StageId id, const char* operation, const Tensor& heads, const Tensor& bias) {
  if (bias.empty()) return trace.add_view(id, operation, heads);
  const char* name = id == StageId::key ? "bias_k" : "bias_v";
  return trace.add(id, fmt::format("{}, then {}", operation, name), [&] { return with_bias_position(heads, bias); });
}

// qkv_split, qkv_heads, then query, key and value as slices of every head's own features.
Heads heads_of_per_head_projection(TraceBuilder& trace, const Inputs& inputs, const Tensor& qkv) {
  const std::int64_t features = inputs.head_dim;
  const LayerWeights& weights = inputs.weights;
  const Tensor split = trace.add_view(StageId::qkv_split, "split heads",
                                      qkv.reshaped({qkv.dim(0), qkv.dim(1), inputs.num_heads, 3 * features},
                                                   {Axis::batch, Axis::position, Axis::head, Axis::feature}));
  const Tensor all = trace.add_view(StageId::qkv_heads, "transpose", split.permuted({0, 2, 1, 3}));
  Heads heads;
  heads.query = trace.add_view(StageId::query, "split", all.sliced(3, 0, features));
  heads.key = add_with_bias(trace, StageId::key, "split", all.sliced(3, features, 2 * features), weights.bias_k);
  heads.value =
      add_with_bias(trace, StageId::value, "split", all.sliced(3, 2 * features, 3 * features), weights.bias_v);
  return heads;
}

struct Projections {
  Tensor query, key, value;
};

// Three products, or, from a fused blocked projection, three slices of one.
Projections projections_of(TraceBuilder& trace, const Request& request, const Inputs& inputs, const Tensor& key_input,
                           const Tensor& value_input, const Backend& backend, const CancelToken& cancel) {
  const QkvLayout layout = read_layout_of(request, inputs.weights);
  const bool cross = !inputs.key_x.empty();
  if (inputs.weights.fused() && !cross) {
    const Linear& fused = inputs.weights.qkv;
    const Tensor qkv = trace.add(StageId::qkv, product_text("Wqkv", fused),
                                 [&] { return backend.linear(inputs.x, fused.weight, fused.bias, cancel); });
    const std::int64_t keys = part_features(inputs, Part::query);
    const std::int64_t values = keys + part_features(inputs, Part::key);
    return {trace.add_view(StageId::query_proj, "split", qkv.sliced(2, 0, keys)),
            trace.add_view(StageId::key_proj, "split", qkv.sliced(2, keys, values)),
            trace.add_view(StageId::value_proj, "split", qkv.sliced(2, values, qkv.dim(2)))};
  }
  auto project = [&](StageId id, const char* matrix, Part part, const Tensor& x) {
    const Linear linear = part_of(inputs, layout, part);
    return trace.add(id, product_text(matrix, linear),
                     [&] { return backend.linear(x, linear.weight, linear.bias, cancel); });
  };
  Projections result;
  result.query = project(StageId::query_proj, "Wq", Part::query, inputs.x);
  result.key = project(StageId::key_proj, "Wk", Part::key, key_input);
  result.value = project(StageId::value_proj, "Wv", Part::value, value_input);
  return result;
}

Heads projected_heads(TraceBuilder& trace, const Request& request, const Inputs& inputs, const Backend& backend,
                      const CancelToken& cancel) {
  const bool from_file = request.phrase.empty() && request.token_ids.empty();
  const std::string embedding = from_file                                  ? "from file"
                                : request.position == Position::sinusoidal ? "embed + position"
                                                                           : "embed";
  const LayerWeights& weights = inputs.weights;
  trace.add_view(StageId::input, embedding, inputs.x);
  Tensor key_input = inputs.x;
  Tensor value_input = inputs.x;
  if (!inputs.key_x.empty()) {
    key_input = trace.add_view(StageId::key_input, embedding, inputs.key_x);
    const bool same = inputs.value_x.empty() || same_storage(inputs.value_x, inputs.key_x);
    value_input = same ? trace.add_equal(StageId::value_input, "= key_input", key_input)
                       : trace.add_view(StageId::value_input, embedding, inputs.value_x);
  }
  const bool per_head = weights.fused() && read_layout_of(request, weights) == QkvLayout::per_head;
  if (per_head && inputs.key_x.empty()) {
    const Tensor qkv = trace.add(StageId::qkv, product_text("Wqkv", weights.qkv), [&] {
      return backend.linear(inputs.x, weights.qkv.weight, weights.qkv.bias, cancel);
    });
    return heads_of_per_head_projection(trace, inputs, qkv);
  }
  const Projections projected = projections_of(trace, request, inputs, key_input, value_input, backend, cancel);
  Heads heads;
  heads.query = trace.add_view(StageId::query, "split heads", split_heads(projected.query, inputs.num_heads));
  heads.key = add_with_bias(trace, StageId::key, "split heads", split_heads(projected.key, inputs.num_kv_heads),
                            weights.bias_k);
  heads.value = add_with_bias(trace, StageId::value, "split heads", split_heads(projected.value, inputs.num_kv_heads),
                              weights.bias_v);
  return heads;
}

// A score-like stage that is not kept: computed when read.
Tensor score_tensor(StageId stage, const std::shared_ptr<const OnDemand>& source) {
  return Tensor::computed(
      source->score_shape(), {Axis::batch, Axis::head, Axis::query, Axis::key},
      [stage, source](const Region& region, std::span<float> out) { source->read_scores(stage, region, out); });
}

// raw_scores ... masked_scores, each made by `stage_of`.
template <typename StageOf>
void add_scores(TraceBuilder& builder, const Trace& trace, const ScoreRule& rule, const std::string& product,
                StageOf&& stage_of) {
  const Request& request = trace.request;
  const std::string scaling = scale_text(request, *trace.inputs, trace.scale);
  const std::string masking = mask_step_text(request);
  const Tensor raw = builder.add(StageId::raw_scores, product, [&] { return stage_of(StageId::raw_scores); });
  if (rule.mask_order == MaskOrder::before_scale && rule.masks()) {
    const Tensor scores =
        builder.add(StageId::scores, masking + " " + scaling, [&] { return stage_of(StageId::scores); });
    builder.add_equal(StageId::masked_scores, "masked before scaling", scores);
    return;
  }
  Tensor scores = trace.scale == 1.0 ? builder.add_equal(StageId::scores, scaling, raw)
                                     : builder.add(StageId::scores, scaling, [&] { return stage_of(StageId::scores); });
  if (request.softcap) {
    scores = builder.add(StageId::capped_scores, fmt::format("{0} · tanh(s ÷ {0})", number_of(*request.softcap)),
                         [&] { return stage_of(StageId::capped_scores); });
  }
  if (!rule.masks()) {
    const char* none = request.mask.empty()       ? "no mask"
                       : trace.mask->hidden.any() ? "masked after softmax"
                                                  : "mask hides nothing";
    builder.add_equal(StageId::masked_scores, none, scores);
    return;
  }
  builder.add(StageId::masked_scores, masking, [&] { return stage_of(StageId::masked_scores); });
}

std::string softmax_text(const Request& request, bool any_hidden) {
  std::string text = has_variant(request, Variant::softmax_over_queries) ? "softmax over queries" : "softmax";
  if (has_variant(request, Variant::mask_after_softmax) && any_hidden) text += ", then mask";
  return text;
}

// The ablated heads to zero.
void clear_ablated(const Request& request, Tensor& context) {
  const std::int64_t head_size = context.dim(2) * context.dim(3);
  for (const LayerHead& ablated : request.ablate) {
    for (std::int64_t b = 0; b < context.dim(0); ++b) {
      std::fill_n(context.mutable_data() + (b * context.dim(1) + ablated.head) * head_size, head_size, 0.0F);
    }
  }
}

std::string context_text(const Request& request) {
  std::string heads;
  for (const LayerHead& ablated : request.ablate) heads += fmt::format("{}{}", heads.empty() ? "" : ", ", ablated.head);
  return heads.empty() ? "· value" : fmt::format("· value, head {} = 0", heads);
}

// Scores, weights and context in one pass of the backend: scores are computed again when read.
Tensor attention_in_one_pass(TraceBuilder& builder, Trace& trace, const Heads& heads, const ScoreRule& rule,
                             const std::shared_ptr<const Backend>& backend, const CancelToken& cancel) {
  const Request& request = trace.request;
  const auto source = std::make_shared<const OnDemand>(backend, heads.query, heads.key, heads.value, rule);
  add_scores(builder, trace, rule, "q · kᵀ", [&](StageId stage) { return score_tensor(stage, source); });
  const Shape shape = source->score_shape();
  const Axes axes{Axis::batch, Axis::head, Axis::query, Axis::key};
  AttentionResults results;
  builder.add(StageId::weights, softmax_text(request, rule.mask->hidden.any()), [&] {
    results.weights = Tensor::zeros(shape, axes);
    if (rule.drops()) results.dropped = Tensor::zeros(shape, axes);
    results.statistics.max = Tensor::zeros({shape[0], shape[1], shape[2]}, {Axis::batch, Axis::head, Axis::query});
    results.statistics.sum = Tensor::zeros({shape[0], shape[1], shape[2]}, {Axis::batch, Axis::head, Axis::query});
    results.context = Tensor::zeros({shape[0], shape[1], shape[2], heads.value.dim(3)},
                                    {Axis::batch, Axis::head, Axis::position, Axis::feature});
    backend->attention(heads.query, heads.key, heads.value, rule, {{0, shape[0]}, {0, shape[1]}, {0, shape[2]}},
                       results, cancel);
    clear_ablated(request, results.context);
    return results.weights;
  });
  trace.row_statistics = results.statistics;
  if (rule.drops()) {
    builder.add_view(StageId::dropped_weights, "dropout " + number_of(request.dropout), results.dropped);
  }
  return builder.add_view(StageId::context, context_text(request), results.context);
}

// The same for huge scores: nothing of their size is kept; weights and context are computed when read.
Tensor attention_on_demand(TraceBuilder& builder, Trace& trace, const Heads& heads, const ScoreRule& rule,
                           const std::shared_ptr<const Backend>& backend) {
  const Request& request = trace.request;
  const auto source = std::make_shared<const OnDemand>(backend, heads.query, heads.key, heads.value, rule);
  trace.on_demand = source;
  add_scores(builder, trace, rule, "q · kᵀ", [&](StageId stage) { return score_tensor(stage, source); });
  builder.add_view(StageId::weights, softmax_text(request, rule.mask->hidden.any()),
                   score_tensor(StageId::weights, source));
  if (rule.drops()) {
    builder.add_view(StageId::dropped_weights, "dropout " + number_of(request.dropout),
                     score_tensor(StageId::dropped_weights, source));
  }
  std::vector<std::int64_t> ablated;
  for (const LayerHead& head : request.ablate) ablated.push_back(head.head);
  const Shape shape = source->score_shape();
  return builder.add_view(StageId::context, context_text(request),
                          Tensor::computed({shape[0], shape[1], shape[2], heads.value.dim(3)},
                                           {Axis::batch, Axis::head, Axis::position, Axis::feature},
                                           [source, ablated](const Region& region, std::span<float> out) {
                                             source->read_context(region, ablated, out);
                                           }));
}

// Stage after stage, all kept: for the mistakes that no backend does in one pass.
Tensor attention_step_by_step(TraceBuilder& builder, Trace& trace, const Heads& heads, const ScoreRule& rule,
                              const Backend& backend, const CancelToken& cancel) {
  const Request& request = trace.request;
  const bool transposed = !has_variant(request, Variant::key_not_transposed);
  const Tensor key = transposed ? heads.key : heads.key.permuted({0, 1, 3, 2});
  const Region all{{0, heads.query.dim(0)}, {0, heads.query.dim(1)}, {0, heads.query.dim(2)}, {0, key.dim(2)}};
  Tensor raw, masked;
  add_scores(builder, trace, rule, transposed ? "q · kᵀ" : "q · k, not transposed", [&](StageId stage) {
    if (stage == StageId::raw_scores) raw = backend.query_key_products(heads.query, key, all, cancel);
    return score_stage(stage, raw, rule, all, cancel);
  });
  masked = trace.tensor(StageId::masked_scores);
  Tensor weights = builder.add(StageId::weights, softmax_text(request, rule.mask->hidden.any()), [&] {
    Tensor result;
    if (has_variant(request, Variant::softmax_over_queries)) {
      const Tensor by_column = backend.softmax_rows(masked.permuted({0, 1, 3, 2}), nullptr, cancel);
      result = by_column.permuted({0, 1, 3, 2}).dense_copy();
    } else {
      result = backend.softmax_rows(masked, &trace.row_statistics, cancel);
    }
    finish_weights(result, rule, all);
    return result;
  });
  if (rule.drops()) {
    weights = builder.add(StageId::dropped_weights, "dropout " + number_of(request.dropout),
                          [&] { return dropped_weights(weights, rule, all, cancel); });
  }
  return builder.add(StageId::context, context_text(request), [&] {
    Tensor context = backend.weighted_values(weights, heads.value, rule.mask->hidden, cancel);
    clear_ablated(request, context);
    return context;
  });
}

}  // namespace

bool in_one_pass(const Request& request) {
  return !has_variant(request, Variant::softmax_over_queries) && !has_variant(request, Variant::key_not_transposed);
}

std::shared_ptr<const Trace> forward(const Request& request, std::shared_ptr<const Inputs> inputs,
                                     const std::shared_ptr<const Backend>& backend, const CancelToken& cancel,
                                     const ForwardOptions& options) {
  const Clock::time_point start = Clock::now();
  const auto trace = std::make_shared<Trace>();
  trace->request = request;
  trace->inputs = inputs;
  trace->backend = backend->name();
  trace->backend_description = backend->description();
  trace->notice = options.notice;
  trace->seeded_weights = inputs->query.empty() && request.weights.empty() && request.model == "seeded";
  trace->scale = scale_of(request, *inputs);
  const bool extra_key = !inputs->weights.bias_k.empty();
  trace->mask =
      std::make_shared<const Mask>(build_mask(request, inputs->mask_files, inputs->batch, inputs->num_heads,
                                              inputs->query_len, inputs->key_len + (extra_key ? 1 : 0), extra_key));
  const FullyMaskedRows hidden_rows = fully_masked_rows(trace->mask->hidden, inputs->batch, inputs->num_heads);
  trace->fully_masked_rows = hidden_rows.count;
  trace->fully_masked_queries = hidden_rows.queries;
  const ScoreRule rule = score_rule_of(request, *inputs, trace->mask);
  const StageSizes sizes = stage_sizes_of(*inputs);
  const bool keep_weights = stage_bytes(request, sizes) <= static_cast<double>(options.stage_memory);

  TraceBuilder builder(*trace, cancel);
  const Heads heads = inputs->query.empty() ? projected_heads(builder, request, *inputs, *backend, cancel)
                                            : given_heads(builder, *inputs);
  const Tensor context = !in_one_pass(request) ? attention_step_by_step(builder, *trace, heads, rule, *backend, cancel)
                         : keep_weights        ? attention_in_one_pass(builder, *trace, heads, rule, backend, cancel)
                                               : attention_on_demand(builder, *trace, heads, rule, backend);
  const Tensor concat =
      builder.add(StageId::concat, request.merge == Merge::transpose ? "merge heads" : "reshape, not transposed",
                  [&] { return merged_heads(context, request.merge); });
  const Linear& output = inputs->weights.output;
  if (!output.empty()) {
    builder.add(StageId::output, product_text("Wo", output), [&] {
      return concat.stored() ? backend->linear(concat, output.weight, output.bias, cancel)
                             : projected_on_demand(concat, output, backend);
    });
  }
  trace->seconds = seconds_since(start);
  return trace;
}

}  // namespace headscope
