// Puts the heads side by side: from context to concat.
#pragma once

#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// concat [batch, query_len, heads * value_head_dim] of context [batch, heads, query_len, value_head_dim].
// transpose: concat[b,i,h*hd+d] = context[b,h,i,d]; direct: the same memory read in the new shape.
Tensor merged_heads(const Tensor& context, Merge merge);

// The same by transpose, into `concat`, whose last axis has no gaps.
void merge_heads_into(const Tensor& context, Tensor& concat);

}  // namespace headscope
