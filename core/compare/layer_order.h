// Whether two models are the same but for layers that are missing in one of them, or stand in another order.
#pragma once

#include <string>

#include "core/attention/model_trace.h"
#include "core/base/cancel.h"

namespace headscope {

// "layers 3 and 5 of A are missing in B" or "the layers stand in another order: layers 0, 1, 2 of B are layers 2, 0, 1
// of A", by all weights of a layer. Where neither says all of it (a layer of one is none of the other, or a model has
// two layers of the same weights): "A has 4 layers, B 5", and "" for as many layers. Throws Cancelled.
std::string layer_order_sentence(const ModelTrace& a, const ModelTrace& b, const CancelToken& cancel);

}  // namespace headscope
