// Whether weights are 0 in theirs as dropout leaves them: at random, and nowhere else otherwise.
#pragma once

#include <optional>

#include "core/compare/wide_stage.h"

namespace headscope {

struct DropoutPattern {
  double share = 0;   // of the weights that are dropped
  double factor = 1;  // what the others were multiplied by: the median
};

// Both [batch, heads, queries, keys] of the same shape. nullopt where too few weights are 0 in theirs alone to tell,
// and where they do not lie at random: where heads, queries, keys, distances i - j or small weights have more of them,
// or all as many, than chance gives (chi-squared within five standard deviations).
std::optional<DropoutPattern> dropout_pattern(const WideStage& ours, const WideStage& theirs);

}  // namespace headscope
