// Which experts the tokens of a layer go to.
#pragma once

#include <cstdint>
#include <string>

#include "core/attention/model_trace.h"
#include "core/base/cancel.h"
#include "core/model/experts.h"

namespace headscope {

// Of a layer of a model that was kept, with the bits that the model computed with. Throws UsageError for a model or a
// layer without experts and for a layer that was not kept, Cancelled.
Routing layer_routing(const ModelTrace& model, std::int64_t layer, const CancelToken& cancel);

// What the router of the layer reads, [batch, len, d_model]: mlp_in. UsageError as layer_routing().
Tensor routed_rows(const ModelTrace& model, std::int64_t layer, const std::string& option = "export");

// Throws the same UsageErrors, of which that for a model without experts names `option`, but for a layer that was not
// kept, and computes nothing. Null: there is no model.
void check_has_experts(const ModelTrace* model, std::int64_t layer, const std::string& option = "export");

}  // namespace headscope
