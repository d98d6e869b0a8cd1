// The metrics of every head as a table of text.
#pragma once

#include <string>

#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope::cli {

// A line for every head of every layer; "-" where a metric has no row to look at. With a batch of several, its number
// comes first.
std::string metrics_table_text(const Trace& trace, const CancelToken& cancel);

}  // namespace headscope::cli
