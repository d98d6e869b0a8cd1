// Inputs of a request whose model is a checkpoint: its tokens, the input of the first layer, the sizes of the shown
// layer. Internal to core/model.
#pragma once

#include "core/model/input_cache_state.h"
#include "core/model/inputs.h"
#include "core/request/request.h"

namespace headscope {

// Opens the checkpoint if it is not open, tokenizes, and fills `inputs` for the layer that is shown. Only `x` is the
// input of layer 0: core/attention/model_forward.h computes the layers between. Of a model with latents
// (Architecture::latents) x, key_x and value_x have the shapes of these and cannot be read. UsageError for a layer, an
// id or a length that the model does not have, for sizes that contradict it, and for a phrase without a tokenizer.
void load_model_inputs(const Request& request, InputCache::State& cache, Inputs& inputs);

// What enters layer 0 of a model, [batch, len, d_model]; its ids have been read.
Tensor embedded_of(const Inputs& inputs);

// Makes `inputs` those of a layer of their checkpoint: weights, mask, scale, softcap, norm of the result. Neither `x`
// nor head_rule are touched.
void use_layer(std::int64_t layer, Inputs& inputs);

}  // namespace headscope
