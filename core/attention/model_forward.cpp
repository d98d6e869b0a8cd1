#include "core/attention/model_forward.h"
#include "core/attention/stage_sizes.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "core/attention/changed_mlp.h"
#include "core/attention/early_layers.h"
#include "core/attention/forward.h"
#include "core/attention/interventions.h"
#include "core/attention/known_rows.h"
#include "core/attention/put_numbers.h"
#include "core/attention/stage_buffers.h"
#include "core/backend/backend_factory.h"
#include "core/base/assert.h"
#include "core/model/checkpoint.h"
#include "core/model/head_rule.h"
#include "core/model/latents.h"
#include "core/model/model_inputs.h"
#include "core/model/stack.h"
#include "core/request/memory.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kFreeBytes = std::int64_t{1} << 30;  // of stages that no trace uses, of all layers

}  // namespace

struct ModelForward::State {
  // What is known of a layer: of one run, all of it.
  struct Layer {
    Tensor stream;  // the layer's input
    std::shared_ptr<const Trace> trace;
    Tensor left;               // the layer's result; empty until a later step needs it
    bool mlp_changed = false;  // `left` holds other numbers for what the MLP adds
    std::unique_ptr<StageBuffers> buffers;
    std::shared_ptr<const HeadRule> head_rule;
  };

  std::shared_ptr<const Checkpoint> checkpoint;
  std::shared_ptr<const Backend> backend;
  std::shared_ptr<const RotaryTable> rotary, window_rotary;
  std::vector<Layer> layers;
  Tensor final_left, final_hidden;  // what left the last layer, and that normalised
  std::int64_t final_from = 0;      // ModelOptions

  void begin(const Inputs& inputs, const std::shared_ptr<const Backend>& with, bool reuse);
  Rows entering(std::int64_t layer, const Rows& rows, const Tensor& before) const;
  Rows next_stream(const Request& request, const Inputs& base, std::int64_t layer, const Rows& rows,
                   const Tensor& before) const;
  std::shared_ptr<const HeadRule> head_rule_of(std::int64_t layer, const BlockWeights& weights);
  Rows layer_input(std::int64_t layer, const BlockWeights& weights, const Rows& stream) const;
  std::shared_ptr<const Trace> trace_of(std::int64_t layer, const Request& request, const Inputs& base,
                                        const Rows& stream, const CancelToken& cancel, const ModelOptions& options);
  Rows rows_after(const Request& request, const Inputs& base, std::int64_t layer, const Layer& before,
                  const Rows& stream, const CancelToken& cancel);
  Tensor hidden_of(const Rows& left);
  bool knows(std::int64_t layer) const { return layers[static_cast<std::size_t>(layer)].trace != nullptr; }
};

void ModelForward::State::begin(const Inputs& inputs, const std::shared_ptr<const Backend>& with, bool reuse) {
  const bool same_model = checkpoint == inputs.checkpoint;
  if (!same_model) {
    checkpoint = inputs.checkpoint;
    const Architecture& architecture = checkpoint->architecture();
    const auto table = [](const std::optional<RotaryRule>& rule) {
      return rule ? std::make_shared<const RotaryTable>(*rule) : nullptr;
    };
    rotary = table(architecture.rotary);
    window_rotary = table(architecture.window_rotary);
  }
  if (!reuse || !same_model || backend != with) {
    layers.clear();
    layers.resize(static_cast<std::size_t>(checkpoint->architecture().num_layers));
    final_left = final_hidden = {};
  }
  backend = with;
}

// What enters a layer, against what is known to have entered it; rows.same counts against `before`.
Rows ModelForward::State::entering(std::int64_t layer, const Rows& rows, const Tensor& before) const {
  const Tensor& known = layers[static_cast<std::size_t>(layer)].stream;
  if (known.empty()) return {rows.tensor, 0};
  const std::int64_t len = rows.tensor.dim(1);
  const std::int64_t same =
      !before.empty() && same_storage(known, before) ? rows.same : equal_rows(rows.tensor, known, len);
  return {is_whole(known, same, len) ? known : rows.tensor, same};
}

// The same of what left the layer before, with other numbers where arrays or patches change the stream.
Rows ModelForward::State::next_stream(const Request& request, const Inputs& base, std::int64_t layer, const Rows& rows,
                                      const Tensor& before) const {
  const Request own = request_of_layer(request, layer, base.layer);
  const Tensor stream = with_changes(own, base, layer, kStreamPatch, rows.tensor);
  return same_storage(stream, rows.tensor) ? entering(layer, rows, before) : entering(layer, {stream, 0}, {});
}

std::shared_ptr<const HeadRule> ModelForward::State::head_rule_of(std::int64_t layer, const BlockWeights& weights) {
  const Architecture& architecture = checkpoint->architecture();
  const bool own = window_rotary != nullptr && architecture.has_window(layer);
  const std::shared_ptr<const RotaryTable>& turns = own ? window_rotary : rotary;
  const bool normed = !weights.query_norm.empty() || !weights.key_norm.empty();
  if (turns == nullptr && !normed && !(architecture.qkv_clip > 0)) return nullptr;
  std::shared_ptr<const HeadRule>& known = layers[static_cast<std::size_t>(layer)].head_rule;
  if (known == nullptr) {
    known =
        std::make_shared<const HeadRule>(head_rule_of_model(architecture, weights.query_norm, weights.key_norm, turns));
  }
  return known;
}

// What enters attention: the stream itself, or its rows normalised.
Rows ModelForward::State::layer_input(std::int64_t layer, const BlockWeights& weights, const Rows& stream) const {
  const Architecture& architecture = checkpoint->architecture();
  if (!architecture.norms_input() || weights.attention_norm.empty()) return stream;
  const std::shared_ptr<const Trace>& trace = layers[static_cast<std::size_t>(layer)].trace;
  const bool kept = trace != nullptr && !architecture.latents;  // what was kept are latents
  const Tensor before = kept ? trace->inputs->x : Tensor();
  if (is_whole(before, stream.same, stream.tensor.dim(1))) return {before, stream.same};
  const std::int64_t same = architecture.latents ? 0 : stream.same;
  Tensor x = with_rows_of(stream.tensor, before, same);
  norm_rows(architecture, weights.attention_norm, stream.tensor, same, x);
  return {x, same};
}

std::shared_ptr<const Trace> ModelForward::State::trace_of(std::int64_t layer, const Request& request,
                                                           const Inputs& base, const Rows& stream,
                                                           const CancelToken& cancel, const ModelOptions& options) {
  const BlockWeights weights = checkpoint->block(layer);
  const auto inputs = std::make_shared<Inputs>(base);
  use_layer(layer, *inputs);
  inputs->head_rule = head_rule_of(layer, weights);
  inputs->x = layer_input(layer, weights, stream).tensor;
  if (weights.latents != nullptr) {
    const Latents latents =
        latents_of(*checkpoint->architecture().latents, *weights.latents, inputs->x, *backend, cancel);
    inputs->x = latents.query;
    inputs->key_x = latents.key;
    inputs->value_x = latents.value;
  }
  const Request own = request_of_layer(request, layer, base.layer);

  Layer& known = layers[static_cast<std::size_t>(layer)];
  ForwardOptions forward_options;
  forward_options.stage_memory = options.stage_memory;
  forward_options.notice = options.notice;
  if (options.reuse) {
    if (known.buffers == nullptr) {
      known.buffers = std::make_unique<StageBuffers>(kFreeBytes / static_cast<std::int64_t>(layers.size()));
    }
    forward_options.previous = known.trace;
    forward_options.buffers = known.buffers.get();
  }
  return forward(own, inputs, backend, cancel, forward_options);
}

// What leaves a layer whose trace is known; `before` is what was known of it.
Rows ModelForward::State::rows_after(const Request& request, const Inputs& base, std::int64_t layer,
                                     const Layer& before, const Rows& stream, const CancelToken& cancel) {
  Layer& now = layers[static_cast<std::size_t>(layer)];
  const Request own = request_of_layer(request, layer, base.layer);
  now.mlp_changed = is_changed(own, layer, kMlpPatch);
  const bool normed = now.trace->find(StageId::attention_norm_out) != nullptr;
  const StageId result = normed ? StageId::attention_norm_out : StageId::output;
  const Tensor& attention = now.trace->tensor(result);
  if (now.mlp_changed) {
    return {left_with_changed_mlp(own, base, layer, {stream.tensor, attention}, *backend, cancel), 0};
  }
  std::int64_t same = 0;
  if (!before.left.empty() && !before.mlp_changed && stream.same > 0) {
    const Tensor& known = before.trace->tensor(result);
    same = same_storage(attention, known) ? stream.same : equal_rows(attention, known, stream.same);
  }
  if (is_whole(before.left, same, stream.tensor.dim(1))) return {before.left, same};
  // A convolution reads the rows around a row: without all of them no row is known.
  if (!checkpoint->block(layer).convolution.empty()) same = 0;
  Tensor left = with_rows_of(stream.tensor, before.left, same);
  const std::int64_t begin = static_cast<std::size_t>(layer) + 1 == layers.size() ? std::max(same, final_from) : same;
  finish_layer(checkpoint->architecture(), checkpoint->block(layer),
               {.stream = stream.tensor, .attention = attention, .begin = begin}, *backend, cancel, left);
  return {left, same};
}

Tensor ModelForward::State::hidden_of(const Rows& left) {
  const NormWeights norm = checkpoint->output_head().final_norm;
  if (norm.empty()) return left.tensor;
  if (same_storage(final_left, left.tensor)) return final_hidden;
  Tensor hidden = Tensor::zeros(left.tensor.shape(), left.tensor.axes());
  norm_rows(checkpoint->architecture(), norm, left.tensor, 0, hidden);
  final_left = left.tensor;
  final_hidden = hidden;
  return hidden;
}

ModelForward::ModelForward() : state_(std::make_unique<State>()) {}
ModelForward::~ModelForward() = default;

void ModelForward::forget() {
  state_ = std::make_unique<State>();
  encoder_ = nullptr;
}

std::shared_ptr<const Trace> ModelForward::run_stack(const Request& request,
                                                     const std::shared_ptr<const Inputs>& inputs,
                                                     const std::shared_ptr<const Backend>& backend,
                                                     const CancelToken& cancel, const ModelOptions& options) {
  State& state = *state_;
  const Clock::time_point start = Clock::now();
  state.begin(*inputs, backend, options.reuse);
  state.final_from = options.final_from;
  const auto count = static_cast<std::int64_t>(state.layers.size());
  HEADSCOPE_ASSERT(0 <= inputs->layer && inputs->layer < count, std::to_string(inputs->layer));

  const std::shared_ptr<ModelTrace> model = begun_model_trace(*inputs, backend, static_cast<std::size_t>(count));
  EarlyLayers early(options, inputs->layer, state.knows(inputs->layer));
  std::shared_ptr<Trace> shown;
  const auto show = [&] {
    const double seconds =
        shown != nullptr ? shown->seconds : std::chrono::duration<double>(Clock::now() - start).count();
    shown = shown_trace(*model, inputs->layer, request, seconds);
  };

  const Tensor embeddings = state.checkpoint->architecture().latents ? embedded_of(*inputs) : inputs->x;
  Rows stream = state.next_stream(request, *inputs, 0, {embeddings, 0}, {});
  for (std::int64_t layer = 0; layer < count; ++layer) {
    if (options.before_layer) options.before_layer();
    State::Layer& known = state.layers[static_cast<std::size_t>(layer)];
    const std::shared_ptr<const Trace> trace = state.trace_of(layer, request, *inputs, stream, cancel, options);
    const State::Layer before{known.stream, known.trace, known.left, known.mlp_changed, nullptr, nullptr};
    known.trace = trace;
    known.stream = stream.tensor;
    known.left = {};
    if (options.each_layer) options.each_layer(layer, *trace);
    const bool kept = options.each_layer
                          ? layer == inputs->layer
                          : layer <= inputs->layer || least_stage_bytes(request, stage_sizes_of(*trace->inputs)) <=
                                                          static_cast<double>(kDefaultMemoryLimit);
    if (kept) {
      model->layers[static_cast<std::size_t>(layer)] = trace;
      model->streams[static_cast<std::size_t>(layer)] = stream.tensor;
    }
    const bool last = layer + 1 == count;
    const bool more = !last && (layer < inputs->layer || options.whole_model);
    if (layer == inputs->layer) show();
    if (more && kept && early.due(layer)) {
      if (layer > inputs->layer) show();
      early.give(layer, shown != nullptr ? shown : shown_trace(*model, layer, request, trace->seconds));
    }
    if (!more && (!last || (options.each_layer && !options.with_final))) break;

    const Rows left = state.rows_after(request, *inputs, layer, before, stream, cancel);
    if (options.reuse && kept) {
      known.left = left.tensor;
    } else {
      known.trace = nullptr;
      known.stream = {};
    }
    if (last) model->final_hidden = state.hidden_of(left);
    if (!last) stream = state.next_stream(request, *inputs, layer + 1, left, before.left);
  }
  if (shown->model->layers != model->layers || !model->final_hidden.empty()) show();
  if (!options.reuse) state.layers.clear();
  return shown;
}

}  // namespace headscope
