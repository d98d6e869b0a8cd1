// The orders in which other code may have written the columns of a fused projection, the stage qkv.
#pragma once

#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct FusedReading {
  std::string as;  // as LayoutReading::as
  Tensor tensor;   // [batch, len, features], its columns in the order of ours
};

// `theirs`, [batch, len, features] of the stage qkv, from each order that is not that of ours: [Q K V]; per group of
// heads [q_g k_g v_g], where q_g are the query heads that read key head g; and where every head has keys and values of
// its own, as wide as its queries, [heads, features, 3]. Empty where theirs has another shape.
std::vector<FusedReading> fused_readings(const Trace& ours, const Tensor& theirs);

}  // namespace headscope
