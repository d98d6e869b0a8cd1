// How far rounding can move each cell of a stage: by what it does to that cell and its row, not to another one.
#pragma once

#include <vector>

#include "core/compare/wide_stage.h"
#include "core/diagnose/number_format.h"
#include "core/diagnose/tolerance.h"

namespace headscope {

// `samples` are the stage `exact` with its numbers moved at random (LayerLab::scatter), two or more; `summed` is what
// its cells are sums of (LayerLab::summed), of another shape where that is not known. A cell may lie some times the
// root mean square of what moved it away; of samples that are few that is luck, so that at least the share of what is
// summed counts which its row, and a row in the middle of all, was moved by. Cells that `filled` says count for no
// other. Row-major, of the shape of `exact`.
std::vector<double> rounding_allowance(const NumberFormat& format, const WideStage& exact,
                                       const std::vector<WideStage>& samples, const WideStage& summed,
                                       const IsFilled& filled);

}  // namespace headscope
