// `run --trace torch`: the lines that the tutorials' own module prints.
#pragma once

#include <string>

#include "core/attention/trace.h"

namespace headscope::cli {

// Letter for letter tutorial 000's forward, trailing blanks included, when the projection is fused per head: eight
// lines. Other weights give those of the lines that they have.
std::string torch_trace_text(const Trace& trace);

}  // namespace headscope::cli
