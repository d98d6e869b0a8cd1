// The steps between query · key and weights · value, as plain values: what a backend needs to compute the middle of
// attention in one pass.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "core/request/mask.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// after_scale, for every cell (b, h, i, j):
//   scores         = raw_scores * scale                                   (rounded to float)
//   capped_scores  = softcap * tanh(scores / softcap)                     (with softcap)
//   masked_scores  = hidden ? mask_fill : scores + mask.added
// after_scale with softcap_order after_mask, as ONNX Attention has it:
//   capped_scores  = softcap * tanh((scores + mask.added) / softcap)
//   masked_scores  = hidden ? mask_fill : capped_scores
// before_scale:
//   scores = masked_scores = (hidden ? mask_fill : raw_scores + mask.added) * scale
// then
//   weights          = softmax over the keys, and over the head's sink where there are sinks: exp(s - m) / (sum over
//   the
//                      keys of exp(s - m) + exp(sink - m)), m the largest of both; hidden cells of weight 0 are exact
//                      zeros; rows whose every key is hidden by `fully_masked`
//   dropped_weights  = weights * kept / (1 - dropout)                     (when drops())
// With mask_after_softmax nothing is hidden before the softmax (added values are added), and the weights of hidden
// cells are set to 0 afterwards.
struct ScoreRule {
  double scale = 1.0;
  std::optional<double> softcap;
  SoftcapOrder softcap_order = SoftcapOrder::before_mask;
  std::shared_ptr<const Mask> mask;  // never null; its sizes are those of the scores
  MaskOrder mask_order = MaskOrder::after_scale;
  double mask_fill = -std::numeric_limits<double>::infinity();
  bool mask_after_softmax = false;
  FullyMasked fully_masked = FullyMasked::as_computed;
  double dropout = 0.0;
  std::uint64_t dropout_seed = 0;
  Tensor sinks;         // [heads], a logit more of every row of the head; empty: none
  Tensor dropout_mask;  // 1 = kept, broadcasts to the scores; empty: drawn from dropout_seed

  // Whether the cap is put on what the mask adds, too.
  bool caps_added() const { return softcap && softcap_order == SoftcapOrder::after_mask && !mask->added.empty(); }
  bool drops() const { return dropout > 0 || !dropout_mask.empty(); }
  // Whether masked_scores differ from what enters the mask.
  bool masks() const { return (!mask_after_softmax && mask->hidden.any()) || !mask->added.empty(); }
};

}  // namespace headscope
