// How a request on its inputs turns scores into weights.
#pragma once

#include <memory>

#include "core/backend/score_rule.h"
#include "core/model/inputs.h"
#include "core/request/request.h"

namespace headscope {

// What multiplies raw_scores: the variants no-scale and scale-by-d-model first, then --scale, then the model's own,
// then 1/sqrt(head_dim).
double scale_of(const Request& request, const Inputs& inputs);

// What of `request` decides how scores become weights; `mask` is that of the whole scores.
ScoreRule score_rule_of(const Request& request, const Inputs& inputs, std::shared_ptr<const Mask> mask);

}  // namespace headscope
