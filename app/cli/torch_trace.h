// `run --trace torch`: the lines that the tutorials' own module prints.
#pragma once

#include <string>

#include "core/attention/trace.h"

namespace headscope::cli {

// Exactly the output of tutorial 000's forward, trailing blanks included, when the projection is fused per head: eight
// lines. Other weights give only the lines whose stages they have.
std::string torch_trace_text(const Trace& trace);

}  // namespace headscope::cli
