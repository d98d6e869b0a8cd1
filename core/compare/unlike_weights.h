// Two checkpoints beside each other by all that they read: every weight, bit by bit, and every setting.
#pragma once

#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/model/checkpoint.h"

namespace headscope {

// The model that a trace is of, with all of its parts: of a decoder its encoder, which has the decoder as parts. Null
// where the trace is of no checkpoint.
const Checkpoint* whole_checkpoint(const Trace& trace);

// Names of the weights that differ in a bit, that have another shape, or that one of the two alone has, in the order in
// which a model uses them: "layers.1.down.weight", of a part "decoder.layers.1.down.weight", with the reason in
// brackets where the numbers are not it. Numbers are held against each other as float32, which every format of a file
// is widened to exactly, and by what they are to the model, whatever the files call them. All of both is read once, on
// `threads` threads (0: all cores). Throws Cancelled.
std::vector<std::string> unlike_weights(const Checkpoint& a, const Checkpoint& b, int threads,
                                        const CancelToken& cancel);

// Settings of the models, or of their parts, that differ: "max_positions 32 in A, 64 in B". The name of the family, and
// sizes that weights tell, are none.
std::vector<std::string> unlike_settings(const Checkpoint& a, const Checkpoint& b);

}  // namespace headscope
