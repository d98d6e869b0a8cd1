// The command line's --cost: this file adds the option, and makes the text of a layer's costs for the terminal.
#pragma once

#include <memory>
#include <string>

#include "app/cli/arguments.h"
#include "core/attention/trace.h"
#include "core/cost/cost_json.h"

namespace headscope::cli {

OptionSpec cost_option();  // --cost

// The costs of the trace and the peaks of this machine, which are measured now; null without --cost. UsageError for a
// trace that nothing can be counted of.
std::shared_ptr<const CostReport> given_cost(const Arguments& given, const Trace& trace);

// Tables of at most 100 columns: every stage and the layer with what limits them; what is counted; every count as a
// formula, for these sizes and for a text that is twice as long; the sizes that the formulas name.
std::string cost_text(const CostReport& report);

}  // namespace headscope::cli
