// The four maps of every head of a layer, as they read and write the residual stream; from weights alone.
#pragma once

#include <cstdint>

#include "core/model/checkpoint.h"
#include "core/tensor/tensor.h"

namespace headscope {

// What becomes of the norms around attention:
//   fold    their gains multiply the maps, and what a LayerNorm takes away, the mean of a row, is taken from them: a
//   norm
//           is linear but for the scale of a row, which no ratio of norms sees
//   ignore  the weights as the file holds them
enum class NormFolding { fold, ignore };
inline constexpr const char* kNormFoldingNames[] = {"fold", "ignore"};

// Row-major float32, one matrix a head. Biases, rotary and relative positions, bounds of projections and norms of
// single heads are left out.
struct HeadMaps {
  Tensor query;   // [heads, head_dim, d_model]       W_Q: q = W_Q x
  Tensor key;     // [kv_heads, head_dim, d_model]    W_K
  Tensor value;   // [kv_heads, value_head_dim, d_model]  W_V
  Tensor output;  // [heads, value_head_dim, d_model] W_O transposed: row d is what feature d of the context writes
  // Of the stream that they act on: d_model, one less where the mean of a row is taken away.
  std::int64_t dimensions = 0;
  std::int64_t heads() const { return query.dim(0); }
  std::int64_t group_of(std::int64_t head) const { return head / (query.dim(0) / key.dim(0)); }
};

// Of layer `layer` (asserted) of a model: separate, blocked and per-head projections, grouped heads, and files that
// hold matrices as [in, out]. With NormFolding::fold
//   x enters W through norm:  W diag(gain) P     where the norm stands before attention
//   W_O's result passes one:  diag(gain) P W_O   where it stands behind attention, before the sum
//   P = I - 1/d (ones) of LayerNorms, I of RMSNorms; and P W_O where what is written is read through LayerNorms alone
// Norms after the sum (BERT) are between the maps of two layers for every reader alike, and are left out. UsageError
// for a model with latents (Architecture::latents), whose heads are no linear map of the stream.
HeadMaps head_maps(const Checkpoint& checkpoint, std::int64_t layer, NormFolding folding);

}  // namespace headscope
