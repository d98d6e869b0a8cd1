#include "core/attention/forward.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <utility>

#include "core/assert.h"
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

// raw_scores ... masked_scores.
Tensor scores_before_softmax(TraceBuilder& builder, const Trace& trace, const Tensor& raw, const CancelToken& cancel) {
  const Request& request = trace.request;
  const std::string scaling = scale_text(request, *trace.inputs, trace.scale);
  const std::string masking = mask_step_text(request);
  // With mask-after-softmax nothing is hidden yet; added values are still added.
  const bool later = has_variant(request, Variant::mask_after_softmax);
  const Mask nothing_hidden =
      later ? Mask{HiddenCells(1, 1, trace.query_len(), trace.key_len()), trace.mask->added} : Mask{};
  const Mask& mask = later ? nothing_hidden : *trace.mask;
  const bool nothing_masked = !mask.hidden.any() && mask.added.empty();

  if (request.mask_order == MaskOrder::before_scale && !nothing_masked) {
    const Tensor scores = builder.add(StageId::scores, masking + " " + scaling,
                                      [&] { return masked_scores(raw, mask, request.mask_fill, trace.scale, cancel); });
    return builder.add_equal(StageId::masked_scores, "masked before scaling", scores);
  }

  Tensor scores = trace.scale == 1.0
                      ? builder.add_equal(StageId::scores, scaling, raw)
                      : builder.add(StageId::scores, scaling, [&] { return scaled_scores(raw, trace.scale, cancel); });
  if (request.softcap) {
    const double softcap = *request.softcap;
    scores = builder.add(StageId::capped_scores, fmt::format("{0} · tanh(s ÷ {0})", number_of(softcap)),
                         [&] { return capped_scores(scores, softcap, cancel); });
  }
  if (nothing_masked) {
    const char* none = request.mask.empty()       ? "no mask"
                       : trace.mask->hidden.any() ? "masked after softmax"
                                                  : "mask hides nothing";
    return builder.add_equal(StageId::masked_scores, none, scores);
  }
  return builder.add(StageId::masked_scores, masking,
                     [&] { return masked_scores(scores, mask, request.mask_fill, 1.0, cancel); });
}

Tensor softmax_weights(Trace& trace, const Tensor& masked, const Backend& backend, const CancelToken& cancel) {
  const Request& request = trace.request;
  Tensor weights;
  if (has_variant(request, Variant::softmax_over_queries)) {
    const Tensor by_column = backend.softmax_rows(masked.permuted({0, 1, 3, 2}), nullptr, cancel);
    weights = by_column.permuted({0, 1, 3, 2}).dense_copy();
  } else {
    weights = backend.softmax_rows(masked, &trace.row_statistics, cancel);
  }
  if (has_variant(request, Variant::mask_after_softmax)) clear_hidden(weights, trace.mask->hidden);
  apply_fully_masked(weights, trace.mask->hidden, request.fully_masked);
  return weights;
}

std::string softmax_text(const Request& request, bool any_hidden) {
  std::string text = has_variant(request, Variant::softmax_over_queries) ? "softmax over queries" : "softmax";
  if (has_variant(request, Variant::mask_after_softmax) && any_hidden) text += ", then mask";
  return text;
}

// weights · value, then the ablated heads to zero.
Tensor context_of(const Trace& trace, const Tensor& weights, const Tensor& value, const Backend& backend,
                  const CancelToken& cancel) {
  Tensor context = backend.weighted_values(weights, value, trace.mask->hidden, cancel);
  const std::int64_t head_size = context.dim(2) * context.dim(3);
  for (const LayerHead& ablated : trace.request.ablate) {
    for (std::int64_t b = 0; b < context.dim(0); ++b) {
      std::fill_n(context.mutable_data() + (b * context.dim(1) + ablated.head) * head_size, head_size, 0.0F);
    }
  }
  return context;
}

std::string context_text(const Request& request) {
  std::string heads;
  for (const LayerHead& ablated : request.ablate) heads += fmt::format("{}{}", heads.empty() ? "" : ", ", ablated.head);
  return heads.empty() ? "· value" : fmt::format("· value, head {} = 0", heads);
}

}  // namespace

std::shared_ptr<const Trace> forward(const Request& request, std::shared_ptr<const Inputs> inputs,
                                     const Backend& backend, const CancelToken& cancel) {
  const Clock::time_point start = Clock::now();
  const auto trace = std::make_shared<Trace>();
  trace->request = request;
  trace->inputs = inputs;
  trace->backend = backend.name();
  trace->backend_description = backend.description();
  trace->seeded_weights = inputs->query.empty() && request.weights.empty() && request.model == "seeded";
  trace->scale = scale_of(request, *inputs);
  const bool extra_key = !inputs->weights.bias_k.empty();
  trace->mask =
      std::make_shared<const Mask>(build_mask(request, inputs->mask_files, inputs->batch, inputs->num_heads,
                                              inputs->query_len, inputs->key_len + (extra_key ? 1 : 0), extra_key));
  const FullyMaskedRows hidden_rows = fully_masked_rows(trace->mask->hidden, inputs->batch, inputs->num_heads);
  trace->fully_masked_rows = hidden_rows.count;
  trace->fully_masked_queries = hidden_rows.queries;

  TraceBuilder builder(*trace, cancel);
  const Heads heads = inputs->query.empty() ? projected_heads(builder, request, *inputs, backend, cancel)
                                            : given_heads(builder, *inputs);

  const bool transposed = !has_variant(request, Variant::key_not_transposed);
  const Tensor raw = builder.add(StageId::raw_scores, transposed ? "q · kᵀ" : "q · k, not transposed", [&] {
    const Tensor key = transposed ? heads.key : heads.key.permuted({0, 1, 3, 2});
    const Region all{{0, inputs->batch}, {0, inputs->num_heads}, {0, inputs->query_len}, {0, key.dim(2)}};
    return backend.query_key_products(heads.query, key, all, cancel);
  });
  const Tensor masked = scores_before_softmax(builder, *trace, raw, cancel);
  Tensor weights = builder.add(StageId::weights, softmax_text(request, trace->mask->hidden.any()),
                               [&] { return softmax_weights(*trace, masked, backend, cancel); });
  if (request.dropout > 0 || !inputs->dropout_mask.empty()) {
    weights = builder.add(StageId::dropped_weights, "dropout " + number_of(request.dropout), [&] {
      return dropped_weights(weights, request.dropout, request.dropout_seed, inputs->dropout_mask, cancel);
    });
  }
  const Tensor context = builder.add(StageId::context, context_text(request),
                                     [&] { return context_of(*trace, weights, heads.value, backend, cancel); });
  const Tensor concat =
      builder.add(StageId::concat, request.merge == Merge::transpose ? "merge heads" : "reshape, not transposed",
                  [&] { return merged_heads(context, request.merge); });
  const Linear& output = inputs->weights.output;
  if (!output.empty()) {
    builder.add(StageId::output, product_text("Wo", output),
                [&] { return backend.linear(concat, output.weight, output.bias, cancel); });
  }
  trace->seconds = seconds_since(start);
  return trace;
}

std::shared_ptr<const Trace> run_request(const Request& request, InputCache& cache, const CancelToken& cancel) {
  if (const std::optional<Problem> problem = find_problem(request)) throw ProblemError(*problem);
  const auto inputs = std::make_shared<const Inputs>(load_inputs(request, cache));
  if (const std::optional<Problem> problem = find_problem(request, *inputs)) throw ProblemError(*problem);
  const std::unique_ptr<Backend> backend = make_backend(request.backend, request.threads);
  return forward(request, inputs, *backend, cancel);
}

}  // namespace headscope
