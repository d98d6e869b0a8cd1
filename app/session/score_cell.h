// The cell whose score is taken apart.
#pragma once

#include "app/session/view_state.h"
#include "core/attention/trace.h"

namespace headscope {

// Of the shown head in batch item 0: the picked cell, where a score-like stage is shown and the trace has it; else the
// last query. Without a key that it has: the query's strongest. The trace has weights, a query and a key.
Cell score_cell(const Trace& trace, const ViewState& view);

}  // namespace headscope
