// ModelForward::run(): a model that is one stack of layers, or an encoder and then its decoder, or a model and then the
// layer that gathers what it gives.
#include "core/attention/decoder_forward.h"
#include "core/attention/model_forward.h"
#include "core/model/checkpoint.h"
#include "core/model/decoder_inputs.h"

namespace headscope {

std::shared_ptr<const Trace> ModelForward::run(const Request& request, const std::shared_ptr<const Inputs>& inputs,
                                               const std::shared_ptr<const Backend>& backend, const CancelToken& cancel,
                                               const ModelOptions& options) {
  if (inputs->encoder == nullptr) return run_stack(request, inputs, backend, cancel, options);
  if (encoder_ == nullptr) encoder_ = std::make_unique<ModelForward>();
  ModelOptions whole;
  whole.stage_memory = options.stage_memory;
  whole.reuse = options.reuse;
  whole.whole_model = true;
  whole.before_layer = options.before_layer;
  const auto encoded = encoder_->run_stack(request_of_encoder(request), inputs->encoder, backend, cancel, whole);
  if (inputs->checkpoint->architecture().part == Architecture::Part::pool) {
    const auto pool = std::make_shared<Inputs>(*inputs);
    pool->key_x = pool->value_x = encoded->model->final_hidden;
    return run_stack(request, pool, backend, cancel, options);
  }
  return run_decoder(request, inputs, backend, cancel, options, encoded->model->final_hidden);
}

}  // namespace headscope
