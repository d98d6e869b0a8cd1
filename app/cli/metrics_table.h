// The metrics of every head as a table of text.
#pragma once

#include <string>

#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope::cli {

// One line for every head of every layer; "-" where a metric is a mean over no row. With several batch items, the
// item's number comes first.
std::string metrics_table_text(const Trace& trace, const CancelToken& cancel);

}  // namespace headscope::cli
