// Whether what a mistake leaves in numbers of few bits is rounding, or a wrong factor that rounding hides.
#pragma once

#include <optional>

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

// A factor that all numbers of a stage have in common, though each lies as near as rounding may move it.
struct CommonFactor {
  double factor = 1;       // 1.01: theirs are 1 % larger
  bool of_scores = false;  // of the scores from which the weights are made, not of the numbers themselves
};

// Asks whether theirs are `exact`, which is not rounded, times one factor, or, of weights, the softmax of scores times
// one factor: along u = `exact`, or u = w (log w - sum w log w), as leans() has it. A factor counts that is a whole
// step of `grid` and five standard errors away from 1: numbers that are cut instead of rounded lie half a step too low.
// Returns nothing where there is none, of fewer than 64 cells, and where the shapes differ.
std::optional<CommonFactor> common_factor(StageId stage, const WideStage& exact, const WideStage& theirs,
                                          const NumberGrid& grid, const IsFilled& filled);

}  // namespace headscope
