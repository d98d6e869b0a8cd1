// Which stages of a trace feed which.
#pragma once

#include <vector>

#include "core/attention/trace.h"

namespace headscope {

// The stages that this one is computed from directly, as far as the trace has them.
std::vector<StageId> feeding_stages(const Trace& trace, StageId stage);

}  // namespace headscope
