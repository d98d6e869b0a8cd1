// Which experts the tokens of a layer go to.
#pragma once

#include <cstdint>

#include "core/attention/model_trace.h"
#include "core/base/cancel.h"
#include "core/model/experts.h"

namespace headscope {

// Of a layer of a model that was kept, with the bits that the model computed with. Throws UsageError for a model or a
// layer without experts and for a layer that was not kept, Cancelled.
Routing layer_routing(const ModelTrace& model, std::int64_t layer, const CancelToken& cancel);

// Throws the same UsageErrors and computes nothing. `checkpoint` may be null: then there is no model.
void check_has_experts(const Checkpoint* checkpoint, std::int64_t layer);

}  // namespace headscope
