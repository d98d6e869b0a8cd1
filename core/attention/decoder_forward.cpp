#include "core/attention/decoder_forward.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/changed_mlp.h"
#include "core/attention/forward.h"
#include "core/attention/interventions.h"
#include "core/attention/model_trace.h"
#include "core/attention/put_numbers.h"
#include "core/attention/stage_sizes.h"
#include "core/base/assert.h"
#include "core/model/checkpoint.h"
#include "core/model/decoder_inputs.h"
#include "core/model/model_inputs.h"
#include "core/model/position_tables.h"
#include "core/model/stack.h"
#include "core/request/memory.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;
using Part = Architecture::Part;

// The self-attention of the decoder's layers, or their cross-attention: what all of these layers share.
struct Half {
  std::shared_ptr<const Inputs> base;
  Request request;
  bool shown = false;
};

class Decoder {
 public:
  Decoder(const Request& request, const std::shared_ptr<const Inputs>& inputs, Tensor encoded)
      : encoded_(std::move(encoded)) {
    const Part shown = inputs->checkpoint->architecture().part;
    HEADSCOPE_ASSERT(shown == Part::decoder || shown == Part::cross, "no part of a decoder");
    for (const Part part : {Part::decoder, Part::cross}) {
      halves_.push_back(part == shown ? Half{inputs, request, true}
                                      : Half{other_inputs(*inputs, part), request_of_other_list(request), false});
    }
  }

  const std::vector<Half>& halves() const { return halves_; }

  // The attention of one half of a layer, whose `stream` enters it.
  std::shared_ptr<const Trace> trace_of(const Half& half, std::int64_t layer, const Tensor& stream,
                                        const std::shared_ptr<const Backend>& backend, const CancelToken& cancel,
                                        const ModelOptions& options) const {
    const auto inputs = std::make_shared<Inputs>(*half.base);
    use_layer(layer, *inputs);
    const Architecture& architecture = inputs->checkpoint->architecture();
    inputs->x = stream;
    if (architecture.norms_input()) {
      inputs->x = Tensor::zeros(stream.shape(), stream.axes());
      norm_rows(architecture, inputs->checkpoint->block(layer).attention_norm, stream, 0, inputs->x);
    }
    if (architecture.part == Part::cross) inputs->key_x = inputs->value_x = encoded_;
    ForwardOptions forward_options;
    forward_options.stage_memory = options.stage_memory;
    forward_options.notice = options.notice;
    return forward(request_of_layer(half.request, layer, half.base->layer), inputs, backend, cancel, forward_options);
  }

 private:
  static std::shared_ptr<const Inputs> other_inputs(const Inputs& shown, Part part) {
    auto other = std::make_shared<Inputs>(shown);
    other->checkpoint = shown.encoder->checkpoint->part(part);
    other->unedited = nullptr;
    other->patches = nullptr;
    other->arrays = nullptr;
    other->dropout_mask = {};
    other->mask_files.clear();
    other->key_x = other->value_x = {};
    other->key_tokens = shown.tokens;
    other->key_offsets = shown.offsets;
    other->key_len = shown.query_len;
    if (part == Part::cross) attend_to(*shown.encoder, *other);
    if (const std::optional<RelativeRule>& rule = other->checkpoint->architecture().relative) {
      other->mask_files.push_back(
          relative_bias(*rule, other->checkpoint->embedding(), other->query_len, other->key_len));
    }
    return other;
  }

  Tensor encoded_;  // [batch, key_len, d_model]
  std::vector<Half> halves_;
};

// What enters half a layer, with other numbers where arrays or patches change the stream.
Tensor entering(const Half& half, std::int64_t layer, const Tensor& stream) {
  if (!half.shown) return stream;
  return with_changes(request_of_layer(half.request, layer, half.base->layer), *half.base, layer, kStreamPatch, stream);
}

// What leaves half a layer.
Tensor left_by(const Half& half, std::int64_t layer, const Tensor& stream, const Trace& trace, const Backend& backend,
               const CancelToken& cancel) {
  const Checkpoint& checkpoint = *half.base->checkpoint;
  const Request own = request_of_layer(half.request, layer, half.base->layer);
  if (half.shown && is_changed(own, layer, kMlpPatch)) {
    return left_with_changed_mlp(own, *half.base, layer, {stream, trace.tensor(StageId::output)}, backend, cancel);
  }
  Tensor left = Tensor::zeros(stream.shape(), stream.axes());
  finish_layer(checkpoint.architecture(), checkpoint.block(layer),
               {.stream = stream, .attention = trace.tensor(StageId::output), .begin = 0}, backend, cancel, left);
  return left;
}

// The decoder's last norm.
Tensor final_hidden_of(const Checkpoint& checkpoint, const Tensor& left) {
  const NormWeights norm = checkpoint.output_head().final_norm;
  if (norm.empty()) return left;
  Tensor hidden = Tensor::zeros(left.shape(), left.axes());
  norm_rows(checkpoint.architecture(), norm, left, 0, hidden);
  return hidden;
}

// Whether the trace of a layer can stay beside those before it.
bool is_kept(const Half& half, std::int64_t layer, const Trace& trace, const ModelOptions& options) {
  if (options.each_layer) return layer == half.base->layer;
  return layer <= half.base->layer ||
         least_stage_bytes(half.request, stage_sizes_of(*trace.inputs)) <= static_cast<double>(kDefaultMemoryLimit);
}

// What is shown of a run: the trace of one layer, which points to those of all that are known.
class ShowingSteps {
 public:
  ShowingSteps(const Request& request, std::shared_ptr<ModelTrace> model)
      : request_(request), model_(std::move(model)), start_(Clock::now()) {}

  void show() {
    const auto trace = std::make_shared<Trace>(*model_->layers[static_cast<std::size_t>(model_->layer)]);
    trace->request = request_;
    trace->model = std::make_shared<const ModelTrace>(*model_);
    trace->seconds = shown_ != nullptr ? shown_->seconds : std::chrono::duration<double>(Clock::now() - start_).count();
    shown_ = trace;
  }
  const std::shared_ptr<Trace>& shown() const { return shown_; }

 private:
  const Request& request_;
  const std::shared_ptr<ModelTrace> model_;
  const Clock::time_point start_;
  std::shared_ptr<Trace> shown_;
};

}  // namespace

std::shared_ptr<const Trace> run_decoder(const Request& request, const std::shared_ptr<const Inputs>& inputs,
                                         const std::shared_ptr<const Backend>& backend, const CancelToken& cancel,
                                         const ModelOptions& options, const Tensor& encoded) {
  const auto count = static_cast<std::size_t>(inputs->checkpoint->architecture().num_layers);
  const std::shared_ptr<ModelTrace> model = begun_model_trace(*inputs, backend, count);
  ShowingSteps showing(request, model);
  const Decoder decoder(request, inputs, encoded);
  model->other_layers.resize(count);
  model->other_streams.resize(count);
  Tensor stream = inputs->x;
  const bool whole = options.whole_model || options.each_layer, kept = whole && !options.each_layer;
  for (std::size_t place = 0; place < count; ++place) {
    const auto layer = static_cast<std::int64_t>(place);
    for (const Half& half : decoder.halves()) {
      if (options.before_layer) options.before_layer();
      stream = entering(half, layer, stream);
      if (kept && model->whole_streams.size() == place) model->whole_streams.push_back(stream);
      const std::shared_ptr<const Trace> trace = decoder.trace_of(half, layer, stream, backend, cancel, options);
      if (half.shown) {
        if (options.each_layer) options.each_layer(layer, *trace);
        if (is_kept(half, layer, *trace, options)) {
          model->layers[place] = trace;
          model->streams[place] = stream;
        }
        if (layer == inputs->layer) {
          showing.show();
          if (!whole) return showing.shown();
          if (options.early) options.early(showing.shown());
        }
      }
      if (!half.shown && kept && is_kept(half, layer, *trace, options)) {
        model->other_layers[place] = trace;
        model->other_streams[place] = stream;
      }
      stream = left_by(half, layer, stream, *trace, *backend, cancel);
    }
  }
  if (kept) model->whole_streams.push_back(stream);
  model->final_hidden = final_hidden_of(*inputs->checkpoint, stream);
  showing.show();
  return showing.shown();
}

}  // namespace headscope
