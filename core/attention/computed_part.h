// How much of a result was computed for it, and not taken from the result before it.
#pragma once

#include <optional>

#include "core/attention/trace.h"

namespace headscope {

// The first stage whose numbers were computed, where every stage before it is that of the result before. nullopt: the
// forward began at its beginning, or nothing had to be computed. Numbers of a stage whose first rows were taken from
// the result before count as computed.
std::optional<StageId> computed_from(const Trace& trace);

}  // namespace headscope
