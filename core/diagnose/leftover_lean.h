// Whether what a mistake leaves in numbers of few bits is rounding, or a wrong factor that rounding hides.
#pragma once

#include "core/compare/number_grid.h"
#include "core/compare/wide_stage.h"
#include "core/diagnose/tolerance.h"
#include "core/request/stage.h"

namespace headscope {

// Rounding moves each cell its own way; a factor that is not the right one moves all of them along one direction, and
// each so little that no cell passes what it is allowed. The direction u of weights is their derivative by the
// logarithm of the factor of their scores, w (log w - sum w log w) row by row; that of other stages is what the mistake
// changes, made - right. It is asked how much of the rest r = theirs - made lies along u, r.u / (|r| |u|), and which
// factor that is, r.u / u.u. True where both are more than rounding makes of them: 0.4 of the rest, and half a step of
// `grid`, by which a factor that is rounded itself may be off, with five standard errors |r| / (|u| sqrt(n)), where
// n = (sum u^2)^2 / sum u^4 cells decide: few do where rows look at one key. False of fewer than 64 cells, which say
// too little, and where the shapes differ. `right`, `made`: the stage without and with the mistake, not rounded.
bool leans(StageId stage, const WideStage& right, const WideStage& made, const WideStage& theirs,
           const NumberGrid& grid, const IsFilled& filled);

}  // namespace headscope
