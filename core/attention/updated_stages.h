// Weights and context of a preview, computed when read from those of the last exact trace and an update. The formulas
// are in core/backend/replaced_positions.h.
#pragma once

#include <memory>
#include <vector>

#include "core/backend/replaced_positions.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// [batch, heads, query_len, key_len]: `before` times one factor a row, with the columns of the replaced keys and the
// recomputed rows put in.
Tensor updated_weights(const Tensor& before, const std::shared_ptr<const UpdatedAttention>& update,
                       const std::vector<std::int64_t>& positions);

// [batch, heads, query_len, value_head_dim]; the heads of `ablated` stay 0. `mask` is the mask of the scores.
Tensor updated_context(const Tensor& before, const std::shared_ptr<const UpdatedAttention>& update,
                       const ReplacedPositions& replaced, const std::shared_ptr<const Mask>& mask,
                       const std::vector<LayerHead>& ablated);

}  // namespace headscope
