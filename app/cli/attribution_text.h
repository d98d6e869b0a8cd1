// A logit's parts as text for the terminal and as JSON.
#pragma once

#include <string>

#include "core/attention/trace.h"
#include "core/explain/attribution.h"

namespace headscope::cli {

constexpr const char* kAttributionByNames[] = {"components", "heads", "sources"};  // in the order of AttributionBy

// What was taken apart, the parts by size (of heads and sources the largest, and the sum of the others), then total,
// sum and their difference. `trace` is any layer of the model.
std::string attribution_text(const Trace& trace, const LogitQuestion& question, const Attribution& found);

// {total, sum, difference, position, by, tokens:[{id, token, logit, factor}], parts:[{name, layer, head, position,
// token, value}]}: all parts, in the order of computation; what a part does not have is null.
std::string attribution_json(const Trace& trace, const LogitQuestion& question, const Attribution& found);

}  // namespace headscope::cli
