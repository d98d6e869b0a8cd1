// Where a result first holds a number that is NaN or infinite, and why: all that is wrong behind it follows from there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/request/stage.h"
#include "core/tensor/shape.h"

namespace headscope {

// How many numbers of a stage are not finite. -inf where a mask hides a cell is meant, and does not count.
struct NonfiniteStage {
  StageId stage{};
  std::int64_t nan = 0, infinite = 0;
  std::int64_t first = -1;  // the place of the first of them in row-major order
  std::int64_t all() const { return nan + infinite; }
};

// The stages of this trace that hold such numbers, in its order. Stages that are computed when read are not looked at.
// Throws Cancelled.
std::vector<NonfiniteStage> nonfinite_stages(const Trace& trace, const CancelToken& cancel);

// Whether the last stage of this trace, its output or its context, holds such numbers.
bool ends_nonfinite(const Trace& trace);

struct FirstNonfinite {
  std::optional<std::int64_t> layer;   // of a model; nullopt: of one layer
  std::vector<NonfiniteStage> stages;  // of that layer that hold such numbers, in the order of the trace; never empty
  Index index;                         // in the first of these stages, the first in row-major order
  double value = 0;
  std::string cause;  // "the sum of 64 products passes 3.4e38", without a full stop; "" where nothing more is known
};

// The first of these numbers: of a model in the first computed layer that has any, else of the trace. nullopt: there is
// none. Throws Cancelled.
std::optional<FirstNonfinite> first_nonfinite(const Trace& trace, const CancelToken& cancel);

// "first NaN: raw_scores[1, 1, 2, 2] is inf: the sum of 64 products passes 3.4e38; 7 numbers of weights, 32 of output
// follow", or "first infinite number: ..." where none is NaN.
std::string nonfinite_sentence(const FirstNonfinite& found);

}  // namespace headscope
