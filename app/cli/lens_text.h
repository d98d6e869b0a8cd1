// The logit lens as text for the terminal.
#pragma once

#include <string>

#include "core/attention/trace.h"
#include "core/explain/logit_lens.h"

namespace headscope::cli {

// A line a layer, a column a position (of a long text the last ones): the most probable token and its probability.
std::string lens_text(const LogitLens& lens, const Trace& trace);

}  // namespace headscope::cli
