// What one head alone adds to the residual stream.
#pragma once

#include <cstdint>

#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope {

// Of a layer of a checkpoint, for batch item `batch`: [1, len, d_model], in double until it is stored. With x[i] a row
// of concat, of which the features of head h are h's context (with Merge::direct, wherever its numbers lie), and W_O
// the output projection,
//   v[h, i] = sum over d of h's features of W_O[:, d] x[i, d]
// then through the norms that it passes on its way into the stream after attention, held at the mean and scale that
// they have here (HeldNorm), without their biases: that of attention's result, and that of NormPlace::after_sum at
// `stream` + attention. So the heads, W_O's bias and (after_sum) the stream, each through the held norms, and the
// norms' biases add up to what the layer's attention makes of the stream, but for edits and patches of output and
// attention_norm_out, which are no head's. An ablated head gives 0. `stream`, [batch, len, d_model], is what enters the
// layer. Throws Cancelled.
Tensor head_output(const Trace& layer, const Tensor& stream, std::int64_t batch, std::int64_t head,
                   const CancelToken& cancel);

}  // namespace headscope
