// The effect of a request's interventions on the model's predictions: all of them together, and each alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/attention/output_head.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope {

// Computes the request of `trace` without interventions and, when several are active, with each alone, by `compute`
// (which returns a trace of the whole model), and compares `report` (of `trace`) with them. nullopt when no
// intervention is active. Throws Cancelled, and what `compute` throws.
std::optional<PredictionChanges> prediction_changes(
    const Trace& trace, const PredictionReport& report,
    const std::function<std::shared_ptr<const Trace>(const Request&)>& compute, const CancelToken& cancel);

}  // namespace headscope
