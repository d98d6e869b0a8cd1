// What follows a context that is computed when it is read.
#pragma once

#include <memory>

#include "core/backend/backend.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// [batch, heads, query, feature] merged to [batch, query, heads * feature], computed when read. transpose:
// concat[b,i,h*hd+d] = context[b,h,i,d]; direct: the same order of memory in the new shape.
Tensor merged_on_demand(const Tensor& context, Merge merge);

// y = x W^T + b, rows computed when read.
Tensor projected_on_demand(const Tensor& x, const Linear& layer, std::shared_ptr<const Backend> backend);

}  // namespace headscope
