// Weights and context of a preview, made when somebody reads them: the exact ones that were, and what an update says of
// them. The formulas are those of core/backend/replaced_positions.h.
#pragma once

#include <memory>
#include <vector>

#include "core/backend/replaced_positions.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// [batch, heads, query_len, key_len]: one factor a row, the replaced keys' columns, some rows of their own.
Tensor updated_weights(const Tensor& before, const std::shared_ptr<const UpdatedAttention>& update,
                       const std::vector<std::int64_t>& positions);

// [batch, heads, query_len, value_head_dim]; the heads of `ablated` stay 0. `mask` is what the scores were hidden by.
Tensor updated_context(const Tensor& before, const std::shared_ptr<const UpdatedAttention>& update,
                       const ReplacedPositions& replaced, const std::shared_ptr<const Mask>& mask,
                       const std::vector<LayerHead>& ablated);

}  // namespace headscope
