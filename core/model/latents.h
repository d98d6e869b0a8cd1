// Multi-head latent attention (DeepSeek-AI 2024, DeepSeek-V2, section 2.1) as attention whose queries, keys and values
// are linear maps of vectors of their own: the latents.
#pragma once

#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/model/architecture.h"
#include "core/model/checkpoint_weights.h"
#include "core/tensor/tensor.h"

namespace headscope {

// What the projections of a layer read: all [batch, len, features].
struct Latents {
  Tensor query;  // query_rank features: RMSNorm(W_qa x); without a query_rank x itself
  Tensor key;    // key_rank + rotary features: the key latent, then what alone gets rotary positions
  Tensor value;  // key_rank features: the key latent, RMSNorm(first key_rank features of W_kva x)
};

// Of what enters the attention of a layer, x [batch, len, d_model], after the layer's norm. Throws Cancelled.
Latents latents_of(const LatentRule& rule, const LatentWeights& weights, const Tensor& x, const Backend& backend,
                   const CancelToken& cancel);

// Tensors of the shapes that latents_of() gives, which must not be read: what is known before the model runs.
Latents latent_shapes(const Architecture& architecture, std::int64_t batch, std::int64_t len);

// The projections of the keys and values of all heads out of the matrix that the file holds, [heads (nope + values),
// key_rank], where a head's rows of keys come before those of its values and nope = head_dim - rotary:
//   key   [heads head_dim, key_rank + rotary]: of every head nope rows [W 0], then `rotary` rows [0 1], which copy
//   value [heads value features, key_rank]
// Computed when read. Their names say which rows of the file's matrix they are.
Linear latent_key_projection(const Architecture& architecture, const Linear& stored);
Linear latent_value_projection(const Architecture& architecture, const Linear& stored);

}  // namespace headscope
