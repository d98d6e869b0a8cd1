// A layer whose MLP adds other numbers than it computes.
#pragma once

#include <cstdint>

#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/model/inputs.h"
#include "core/model/stack.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// What leaves a layer, as finish_layer() computes it, with what the arrays and patches of kMlpPatch in `own`, the
// request of that layer, make of what its MLP adds: all rows, [batch, len, d_model]. Throws Cancelled.
Tensor left_with_changed_mlp(const Request& own, const Inputs& base, std::int64_t layer, const AttendedRows& attended,
                             const Backend& backend, const CancelToken& cancel);

}  // namespace headscope
