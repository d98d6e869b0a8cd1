// A layer computed by the formulas, with stages in double or rounded to a format of fewer bits.
#pragma once

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/compare/wide_stage.h"

namespace headscope {

// Computes every stage of `trace` again, by the formulas of core/README.md, in double. Throws Cancelled.
WideStages forward_in_double(const Trace& trace, const CancelToken& cancel);
// The same in `format`: inputs, weights and stages are rounded to it; sums, exponentials and rotary turns are in
// float32.
WideStages forward_in_format(const Trace& trace, NumberType format, const CancelToken& cancel);

}  // namespace headscope
