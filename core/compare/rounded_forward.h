// A layer computed by the formulas, with stages in double or rounded to a format of fewer bits.
#pragma once

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/compare/precision_format.h"
#include "core/compare/wide_stage.h"

namespace headscope {

// Computes every stage of `trace` again, by the formulas of core/README.md, in double. Throws Cancelled.
WideStages forward_in_double(const Trace& trace, const CancelToken& cancel);
// The same with the numbers of `rounding` rounded, and exponentials and rotary turns in what the rest is in.
WideStages forward_rounded(const Trace& trace, const Rounding& rounding, const CancelToken& cancel);

}  // namespace headscope
