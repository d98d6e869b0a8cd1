// A layer computed in number formats of fewer bits, compared with the same layer in double: the rounding error of every
// stage, head and row.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/compare/precision_format.h"
#include "core/compare/stage_errors.h"

namespace headscope {

// The layer with the numbers of `rounding` rounded. float32 as it is usually rounded: the engine's own numbers.
struct FormatRun {
  Rounding rounding;
  std::vector<StageError> stages;      // in the order of the trace
  std::shared_ptr<const Trace> trace;  // its stages
  std::shared_ptr<const Trace> error;  // stages of |format - double|: NaN where only one is finite, 0 in hidden cells
  const StageError* find(StageId stage) const;
};

struct PrecisionReport {
  std::shared_ptr<const Trace> exact;  // computed in double, shown as float32
  std::vector<FormatRun> formats;      // one for each rounding
};

// A report is made up to this many multiplications of one forward, or this many where sums are rounded one by one, and
// this many cells of a stage.
constexpr double kMostPrecisionProducts = 5e9, kMostSummedProducts = 5e8;
constexpr std::int64_t kMostPrecisionCells = std::int64_t{1} << 22;

// float32, float16 and bfloat16 as they are usually rounded.
std::vector<Rounding> usual_roundings();

// Why no report of this trace can be made: too large, numbers changed by hand, not computed from queries and keys, or a
// format that does not round such parts. "": it can be made.
std::string precision_refusal(const Trace& trace, std::span<const Rounding> roundings);

// precision_refusal() must be "" (asserted). Throws Cancelled.
PrecisionReport precision_report(const std::shared_ptr<const Trace>& trace, std::span<const Rounding> roundings,
                                 const CancelToken& cancel);

}  // namespace headscope
