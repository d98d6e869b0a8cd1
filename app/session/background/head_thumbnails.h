// Small pictures and metrics of the heads of a layer, as the view over all layers and heads shows them.
#pragma once

#include <cstdint>

#include "app/session/background/model_numbers.h"
#include "core/backend/pyramid.h"

namespace headscope {

// What is shown of a head: its weights or norms, with tokens hidden and merged as wished.
PyramidSource shown_of(const Trace& layer, const ModelQuery& query, std::int64_t head, const TokenGroups& groups);

// Of every head of the layer. Throws Cancelled.
LayerResult layer_result(const Trace& layer, const ModelQuery& query, const CancelToken& cancel);

}  // namespace headscope
