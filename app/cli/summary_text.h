// What every head of the shown layer attends to, in words.
#pragma once

#include <string>

#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope::cli {

// A line for every head, below it an indented one for every query (core/heads/head_words.h). With several batch items
// each of them is named above.
std::string summary_text(const Trace& trace, const CancelToken& cancel);

}  // namespace headscope::cli
