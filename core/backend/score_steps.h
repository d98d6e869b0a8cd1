// The steps between raw scores and context that are elementwise: scaling, softcap, mask, dropout. Shared by all
// backends.
#pragma once

#include <cstdint>
#include <memory>

#include "core/backend/score_rule.h"
#include "core/base/cancel.h"
#include "core/request/mask.h"
#include "core/request/request.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

// raw_scores, scores, capped_scores or masked_scores over `region` of [batch, heads, query_len, key_len], from the raw
// scores of that region (dense): by the formulas of score_rule.h. A hidden cell's score is not read; the fill -inf
// stays -inf whatever the scale. Without softcap, capped_scores are the scores.
Tensor score_stage(StageId stage, const Tensor& raw, const ScoreRule& rule, const Region& region,
                   const CancelToken& cancel);

// The same, each from the stage before it: scores from raw_scores, capped_scores from scores, masked_scores from
// capped_scores (without softcap: from scores).
Tensor next_score_stage(StageId stage, const Tensor& before, const ScoreRule& rule, const Region& region,
                        const CancelToken& cancel);

// The last step from softmaxed rows (`region`: whole rows) to weights: hidden cells to 0 with mask_after_softmax, and
// rows whose every key is hidden by rule.fully_masked (zero, or 1/key_len for every key).
void finish_weights(Tensor& weights, const ScoreRule& rule, const Region& region);

// The factor of weights that dropout keeps: 1 / (1 - P), 0 for P = 1.
float dropout_gain(double p);

// A number in [0, 1) that depends on nothing but its arguments: dropout keeps a cell when it is >= P.
class DropoutDraw {
 public:
  DropoutDraw(std::uint64_t seed, std::int64_t b, std::int64_t h, std::int64_t i);
  double at(std::int64_t j) const;
  // The row's state, from which draw j is made: the upper 53 bits of mixed(state ^ j).
  std::uint64_t state() const { return row_; }

 private:
  std::uint64_t row_;
};

// weights * kept / (1 - P) over `region`, where `kept` is rule.dropout_mask (broadcast) or, when that is empty, the
// draw. P == 1 keeps nothing. NaN stays NaN, as in torch.
Tensor dropped_weights(const Tensor& weights, const ScoreRule& rule, const Region& region, const CancelToken& cancel);

}  // namespace headscope
