// The output of `run`: every stage with its shape, and notes about the result.
#pragma once

#include <string>

#include "core/attention/trace.h"

namespace headscope::cli {

// Tokens, a line per stage (shape, operation, min, max, mean over its finite values), notes.
std::string shape_table_text(const Trace& trace);

// Notes about fully masked rows, NaN, and rows mixed by `direct` merging; one line each, "" when there are none.
std::string notes_text(const Trace& trace);

}  // namespace headscope::cli
