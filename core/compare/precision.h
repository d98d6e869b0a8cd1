// A layer computed in number formats of fewer bits, compared with the same layer in double: the rounding error of every
// stage.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/compare/number_format.h"

namespace headscope {

// One stage in one format. Cells that the mask fills are left out.
struct StageError {
  StageId stage{};
  double max_error = 0, mean_error = 0;  // |format - double| over cells that are finite in both
  Index cell;                            // the cell of max_error; empty when no cell differs
  double exact = 0, value = 0;           // its two numbers
  std::int64_t cells = 0;                // compared cells
  std::int64_t lost = 0;                 // cells that are finite in double and not in the format
};

// float32: the engine's own numbers. float16 and bfloat16: inputs, weights and every stage are rounded to the format
// when stored; sums and the softmax are in float32, from the stored numbers.
struct FormatRun {
  NumberType format{};
  std::vector<StageError> stages;      // in the order of the trace
  std::shared_ptr<const Trace> trace;  // its stages
  std::shared_ptr<const Trace> error;  // stages of |format - double|: NaN where only one is finite, 0 in hidden cells
  const StageError* find(StageId stage) const;
};

struct PrecisionReport {
  std::shared_ptr<const Trace> exact;  // computed in double, shown as float32
  std::vector<FormatRun> formats;      // float32, float16, bfloat16
};

// A report is made up to this many multiplications of one forward and this many cells of a stage.
constexpr double kMostPrecisionProducts = 5e9;
constexpr std::int64_t kMostPrecisionCells = std::int64_t{1} << 22;

// Why no report of this trace can be made: too large, numbers changed by hand, or not computed from queries and keys.
// "": it can be made.
std::string precision_refusal(const Trace& trace);

// precision_refusal(*trace) must be "" (asserted). Throws Cancelled.
PrecisionReport precision_report(const std::shared_ptr<const Trace>& trace, const CancelToken& cancel);

}  // namespace headscope
