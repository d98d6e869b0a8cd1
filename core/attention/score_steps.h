// The steps between raw scores and context that are elementwise: scaling, softcap, mask, dropout, merging. Shared by
// all backends.
#pragma once

#include <cstdint>

#include "core/attention/mask.h"
#include "core/attention/request.h"
#include "core/cancel.h"
#include "core/model/inputs.h"
#include "core/tensor/tensor.h"

namespace headscope {

// What multiplies raw_scores: the variants no-scale and scale-by-d-model first, then --scale, then 1/sqrt(head_dim).
double scale_of(const Request& request, const Inputs& inputs);

// scores = raw * scale.
Tensor scaled_scores(const Tensor& raw, double scale, const CancelToken& cancel);

// softcap * tanh(scores / softcap).
Tensor capped_scores(const Tensor& scores, double softcap, const CancelToken& cancel);

// hidden ? fill : (scores + added) * scale, where the fill is multiplied too, but -inf stays -inf whatever the scale.
// A hidden cell's score is not read.
Tensor masked_scores(const Tensor& scores, const Mask& mask, double fill, double scale, const CancelToken& cancel);

// Sets the hidden cells of `weights` to 0 (variant mask-after-softmax); not renormalised.
void clear_hidden(Tensor& weights, const HiddenCells& hidden);

// Rows of [batch, heads, query] whose every key is hidden.
struct FullyMaskedRows {
  std::int64_t count = 0;
  std::vector<std::int64_t> queries;  // increasing, each once
};
FullyMaskedRows fully_masked_rows(const HiddenCells& hidden, std::int64_t batch, std::int64_t heads);

// Rewrites those rows: zero, or 1/key_len for every key; as_computed leaves them.
void apply_fully_masked(Tensor& weights, const HiddenCells& hidden, FullyMasked policy);

// A number in [0, 1) that depends on nothing but its arguments: dropout keeps a cell when it is >= P.
class DropoutDraw {
 public:
  DropoutDraw(std::uint64_t seed, std::int64_t b, std::int64_t h, std::int64_t i);
  double at(std::int64_t j) const;

 private:
  std::uint64_t row_;
};

// weights * kept / (1 - P), where `kept` is `dropout_mask` (broadcast) or, when that is empty, the draw. P == 1 keeps
// nothing. NaN stays NaN, as in torch.
Tensor dropped_weights(const Tensor& weights, double p, std::uint64_t seed, const Tensor& dropout_mask,
                       const CancelToken& cancel);

// concat [batch, query_len, heads * value_head_dim] of context [batch, heads, query_len, value_head_dim].
// transpose: concat[b,i,h*hd+d] = context[b,h,i,d]; direct: the same memory read in the new shape.
Tensor merged_heads(const Tensor& context, Merge merge);

}  // namespace headscope
