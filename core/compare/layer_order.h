// Whether two models are the same but for layers that are missing in one of them, or stand in another order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/attention/model_trace.h"
#include "core/base/cancel.h"

namespace headscope {

// "layers 3 and 5 of A are missing in B" or "the layers stand in another order: layers 0, 1, 2 of B are layers 2, 0, 1
// of A", by all weights of a layer. Where neither says all of it (a layer of one is none of the other, or a model has
// two layers of the same weights): "A has 4 layers, B 5", and "" for as many layers. Throws Cancelled.
std::string layer_order_sentence(const ModelTrace& a, const ModelTrace& b, const CancelToken& cancel);

// Where attention is equal in every layer, or differs in layer `from` in nothing but an order: a sentence about what
// differs by more than rounding in a later layer, or behind the last attention: the final hidden states, and the logits
// of the last position. "" where nothing does. Throws Cancelled.
std::string other_difference_sentence(const Trace& a, const Trace& b, std::optional<std::int64_t> from,
                                      const CancelToken& cancel);

}  // namespace headscope
