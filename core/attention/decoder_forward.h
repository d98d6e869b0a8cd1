// Computes a model with an encoder and a decoder: the encoder, then of every layer of the decoder its self-attention,
// its cross-attention and its MLP.
#pragma once

#include <memory>

#include "core/attention/model_options.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"

namespace headscope {

// The trace of the decoder's layer that `inputs` are for (load_inputs; Inputs::encoder is there), with the other layers
// of its list, self-attention or cross-attention, in Trace::model: a stream is what enters the attention of that list,
// final_hidden what leaves the decoder after its last norm. Queries of cross-attention come from the decoder's stream,
// keys and values from what the encoder gives after its last norm. The request's options, interventions and patches
// apply to the shown list alone; the layers of the other one run as the model has them. `encoded`: what the encoder
// gives, [batch, key_len, d_model]. Otherwise as ModelForward::run(); every layer is computed anew. Throws Cancelled,
// BackendError.
std::shared_ptr<const Trace> run_decoder(const Request& request, const std::shared_ptr<const Inputs>& inputs,
                                         const std::shared_ptr<const Backend>& backend, const CancelToken& cancel,
                                         const ModelOptions& options, const Tensor& encoded);

}  // namespace headscope
