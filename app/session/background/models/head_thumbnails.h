// Small pictures and metrics of the heads of a layer, as the view over all layers and heads shows them.
#pragma once

#include <cstdint>

#include "app/session/background/models/model_result.h"
#include "core/backend/pyramid.h"
#include "core/base/cancel.h"

namespace headscope {

// The matrix that the view shows of a head: its weights or norms, with tokens hidden and merged as `query` says.
PyramidSource shown_of(const Trace& layer, const ModelQuery& query, std::int64_t head, const TokenGroups& groups);

// Pictures and metrics of every head of the layer. Throws Cancelled.
LayerResult layer_result(const Trace& layer, const ModelQuery& query, const CancelToken& cancel);

}  // namespace headscope
