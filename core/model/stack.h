// The steps of a model besides attention: embeddings, norms, residual sums, MLP. The bits of a row of [batch, len,
// d_model] depend on that row alone, not on the rows computed with it or the number of threads.
#pragma once

#include <cstdint>
#include <span>

#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/model/activate.h"
#include "core/model/checkpoint.h"
#include "core/tensor/tensor.h"

namespace headscope {

// norm_rows of row_norm.h with the architecture's kind of norm.
void norm_rows(const Architecture& architecture, const NormWeights& norm, const Tensor& x, std::int64_t begin,
               Tensor& y);

// The input of layer 0, [batch, len, d_model], the same for every batch item: word[id] * scale + position[i + offset] +
// token_type[type], normalised and projected where the model does so (normed_embedding). Reads the rows of `ids` only,
// which must be in the vocabulary; `types` may be empty: all 0.
Tensor embedded(const Checkpoint& checkpoint, std::span<const std::int64_t> ids, std::span<const std::int64_t> types,
                std::int64_t batch);

// A step of embedded(): rows [batch, len, width] of the normalised sum -> [batch, len, d_model], projection(row)
// where the model has one (Lan et al. 2020, ALBERT's factorized embeddings), else the rows themselves. Sums are double.
Tensor projected_embedding(const EmbeddingWeights& weights, const Tensor& rows);

// What enters layer 0 of the sums of embeddings, rows [batch, len, width] -> [batch, len, d_model]: their norm, and
// then or, with Architecture::projected_first, before it their projection.
Tensor normed_embedding(const Architecture& architecture, const EmbeddingWeights& weights, const Tensor& rows);

// What a layer adds up after its attention. It refers to its tensors.
struct AttendedRows {
  const Tensor& stream;     // the layer's input, [batch, len, d_model]
  const Tensor& attention;  // what its attention adds (attention_norm_out where there is one, else output), of the same
                            // shape; may be computed when read
  std::int64_t begin = 0;   // the first row that is computed
};

// Rows of a layer between its attention and its result. It refers to its tensors, both [batch, rows, d_model].
struct MlpRows {
  const Tensor& stream;    // the layer's input
  const Tensor& attended;  // s: stream + attention, normalised with NormPlace::after_sum
};

// Rows `rows` of s: stream + attention, or attention alone with Architecture::drops_stream, normalised with
// NormPlace::after_sum; both [batch, len, d_model]. In a layer without an MLP s is what leaves it.
Tensor attended_rows(const Architecture& architecture, const BlockWeights& weights, const AttendedRows& attended,
                     Range rows);

// What the MLP of a layer reads, [batch, rows, d_model]: norm(s) with NormPlace::before and around, norm(stream) in a
// parallel layer, else s itself.
Tensor mlp_input(const Architecture& architecture, const BlockWeights& weights, const MlpRows& rows);

// What the MLP of a layer adds to the stream, [batch, rows, d_model], for a layer with an MLP:
//   before: mlp(norm(s)); parallel: mlp(norm(stream));  after_sum: mlp(s);  after: norm(mlp(s));  around:
//   norm'(mlp(norm(s)))
void mlp_added(const Architecture& architecture, const BlockWeights& weights, const MlpRows& rows,
               const Backend& backend, const CancelToken& cancel, Tensor& added);

// Computes the rows [begin, len) of a layer's result `left`, by Architecture::norm_place:
//   before:    s = stream + attention, then s + mlp(norm(s)); parallel: s + mlp(norm(stream))
//   after_sum: s = norm(stream + attention), then norm(s + mlp(s))
//   after:     s = stream + attention, then s + norm(mlp(s));  around: s + norm'(mlp(norm(s)))
//   mlp(x) = down(f(up x)), or down(f(gate x) * up x), or a sum of experts (core/model/experts)
// and, in layer 0 beside a convolution, norm(that + what the convolution adds) (core/model/row_convolution).
// Throws Cancelled.
void finish_layer(const Architecture& architecture, const BlockWeights& weights, const AttendedRows& attended,
                  const Backend& backend, const CancelToken& cancel, Tensor& left);

}  // namespace headscope
