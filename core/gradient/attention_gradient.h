// Attention of a layer backwards, from its output to what entered it.
#pragma once

#include <functional>
#include <string_view>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/gradient/rows.h"

namespace headscope {

// Gets the gradient of a stage by its name. Rows in the order of the stage's own axes before the last one: of a 4-D
// stage batch, head, position.
using PutGradient = std::function<void(std::string_view stage, const GradientRows& gradient, const Tensor& like)>;

// From the gradient by `output`, [batch * len, d_model], to that by `input`, [batch * len, d_model], which it returns;
// `put` gets that one, too, and those of concat, context, weights, masked_scores, scores (capped_scores too where
// scores are capped), raw_scores, query, key, value, query_proj, key_proj and value_proj. With w a row of weights, dw =
// dcontext value^T:
//   dscores = w (dw - sum over keys of w dw), 0 where a cell is hidden; of a capped score times 1 - (capped / cap)^2
//   draw = scale dscores;  dquery = draw key;  dkey = draw^T query;  dvalue = w^T dcontext
// and where the layer has them c2p and p2c, whose gradients are that of masked_scores, add scale dc2p[i,j] Kr[r(i,j)]
// to dquery[i] and scale dp2c[i,j] Qr[r(i,j)] to dkey[j] (position_scores.h); keys and values summed over the heads
// that share them; rotary positions are turned back, norms of heads as before_norm() has it. The trace is one that
// check_gradient() lets pass. Throws Cancelled.
GradientRows before_attention(const Trace& trace, const GradientRows& doutput, const PutGradient& put,
                              ThreadPool& threads, const CancelToken& cancel);

}  // namespace headscope
