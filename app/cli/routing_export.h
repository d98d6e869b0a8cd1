// `run --export router,experts`: where the tokens of a mixture's layer go, beside the stages of its attention.
#pragma once

#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/export/export_plan.h"

namespace headscope::cli {

struct RoutingChoice {
  bool router = false, experts = false;
  bool any() const { return router || experts; }
};

// Takes the two names out of a list as --export has it ("weights,router"); what is left may be empty.
RoutingChoice take_routing(std::string& list);

// Writes router [batch, len, experts] and experts [batch, len, chosen] of the trace's layer into the plan's folder, in
// its format: router.npy, router.b0.csv, router.json, or both in routing.safetensors. Returns the files' names. Throws
// UsageError for a request without experts, before anything is written; Error; Cancelled.
std::vector<std::string> export_routing(const Trace& trace, const RoutingChoice& choice, const ExportPlan& plan,
                                        const CancelToken& cancel);

}  // namespace headscope::cli
