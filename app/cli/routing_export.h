// `run --export router,experts`: where the tokens of a mixture's layer go, beside the stages of its attention.
#pragma once

#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/export/export_plan.h"
#include "core/io/atomic_file.h"

namespace headscope::cli {

struct RoutingChoice {
  bool router = false, experts = false;
  bool any() const { return router || experts; }
};

// Takes the two names out of a list as --export has it ("weights,router"); what is left may be empty.
RoutingChoice take_routing(std::string& list);

// Adds router [batch, len, experts] and experts [batch, len, chosen] of the trace's layer to files in the plan's
// folder, in its format: router.npy, router.b0.csv, router.json, or both in routing.safetensors. Returns the files'
// names. Throws UsageError for a request without experts; Error; Cancelled.
std::vector<std::string> add_routing(const Trace& trace, const RoutingChoice& choice, const ExportPlan& plan,
                                     const CancelToken& cancel, FilesTogether& files);

}  // namespace headscope::cli
