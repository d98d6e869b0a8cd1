// Whether the heads of two models can be held beside each other one by one.
#pragma once

#include <string>

#include "core/attention/model_trace.h"

namespace headscope {

// Why not, as a sentence: "A has 4 layers of 8 heads, B 5 layers of 8 heads", "A is a capture, which holds no weights",
// "A is one layer, not a whole model" (null); "" where layers, heads, the features of a head and those of the stream
// are as many in both, and where both are null.
std::string unlike_sizes_sentence(const ModelTrace* a, const ModelTrace* b);

}  // namespace headscope
