// How results are compared: all that two traces of a request say.
#pragma once

#include <string>

#include "core/attention/trace.h"

namespace headscope {

// What the first difference is, "weights of layer 1, number 7: 0.5 for 0.25"; "" where both hold the same bits and the
// same words. How long it took, and what was taken from a run before, is no part of it.
std::string difference(const Trace& found, const Trace& wanted);

// The same of a trace that comes before the exact one: a preview, all of whose stages up to the scores are exact, and
// the others within 1e-5 of the largest number of their row; or the layers of a model that are known already.
std::string early_difference(const Trace& early, const Trace& exact);

}  // namespace headscope
