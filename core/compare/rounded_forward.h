// A layer by the formulas whose stages are rounded as they are stored: in double, or in a format of fewer bits.
#pragma once

#include <map>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope {

// A stage in double, row-major.
struct WideStage {
  Shape shape;
  std::vector<double> values;
};
using WideStages = std::map<StageId, WideStage>;

// Every stage of `trace` again, by the formulas of core/README.md. In double: nothing is rounded, sums are in double.
WideStages forward_in_double(const Trace& trace, const CancelToken& cancel);
// In `format`: inputs, weights and stages are rounded to it, sums, exponentials and rotary turns are in float32.
WideStages forward_in_format(const Trace& trace, NumberType format, const CancelToken& cancel);

}  // namespace headscope
