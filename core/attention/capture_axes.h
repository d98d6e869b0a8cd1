// Weights of other programs whose axes stand in another order than they are read in.
#pragma once

#include <string>

#include "core/base/cancel.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Of weights [batch, heads, queries, keys] whose rows do not add up to 1: the other axis along which all of them do,
// and how the array is turned, in words; "" where there is none. Throws Cancelled.
std::string other_softmax_axis(const Tensor& weights, const CancelToken& cancel);

}  // namespace headscope
