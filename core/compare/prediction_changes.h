// What the interventions of a request do to what its model predicts: all of them together, and each alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/attention/output_head.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope {

// Computes the request of `trace` without interventions, and where several are active with each alone, by `compute` (a
// whole model's trace), and holds `report` (of `trace`) against them. Nothing when no intervention is active. Throws
// Cancelled, and what `compute` throws.
std::optional<PredictionChanges> prediction_changes(
    const Trace& trace, const PredictionReport& report,
    const std::function<std::shared_ptr<const Trace>(const Request&)>& compute, const CancelToken& cancel);

}  // namespace headscope
