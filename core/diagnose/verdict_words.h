// The verdict on a stage and what explains it, as sentences without a full stop.
#pragma once

#include <string>
#include <vector>

#include "core/diagnose/diagnosis.h"

namespace headscope {

// "weights differs, given their scores: largest difference 0.031"; "output is equal within bfloat16: the largest
// difference, 0.031, is within what rounding costs here: 0.033".
std::string verdict_sentence(const StageComparison& found);

// "It is explained by no-scale: scores are not divided"; "No known mistake or convention explains it; what comes
// nearest is no-scale, with 40% of the difference"; "" for an equal stage.
std::string explained_sentence(const StageComparison& found);

// What each of the mistakes does, in words: "scores are not divided; heads are merged by view".
std::string what_mistakes_do(const std::vector<std::string>& names);

}  // namespace headscope
