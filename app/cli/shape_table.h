// What `run` prints: every stage with its shape, and what one should know about the result.
#pragma once

#include <string>

#include "core/attention/trace.h"

namespace headscope::cli {

// Tokens, a line per stage (shape, operation, min, max, mean over its finite values), notes.
std::string shape_table_text(const Trace& trace);

// Fully masked rows, NaN, what `direct` merging mixes; one line each, "" when there is nothing to say.
std::string notes_text(const Trace& trace);

}  // namespace headscope::cli
