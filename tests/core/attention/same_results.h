// Results are compared in all that two traces of a request say.
#pragma once

#include <string>

#include "core/attention/trace.h"

namespace headscope {

// Says what the first difference is, "weights of layer 1, number 7: 0.5 for 0.25"; "" where both hold the same bits and
// the same words. The time that it took, and the numbers that were taken from a run before, are no part of it.
std::string difference(const Trace& found, const Trace& wanted);

// Says how a trace that comes before the exact one differs from it; "" where it does not. It is a preview, whose stages
// up to the scores are exact, and the others as near as core/attention/preview.h says; or it has the layers of a
// model that are known already.
std::string early_difference(const Trace& early, const Trace& exact);

}  // namespace headscope
