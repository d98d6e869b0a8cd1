// How a request with its inputs turns scores into weights.
#pragma once

#include <memory>
#include <optional>

#include "core/backend/score_rule.h"
#include "core/model/inputs.h"
#include "core/request/request.h"

namespace headscope {

// The factor of raw_scores, from the first of these that is set: the variants no-scale and scale-by-d-model, --scale,
// the model's own, 1/sqrt(head_dim).
double scale_of(const Request& request, const Inputs& inputs);

// --softcap, else the model's own; nullopt: scores are not capped.
std::optional<double> softcap_of(const Request& request, const Inputs& inputs);

// Whether the softcap comes after what the mask adds: ScoreRule::caps_added. `as_computed` is that of the trace.
inline bool caps_added(const Request& as_computed, const Mask& mask) {
  return as_computed.softcap && as_computed.softcap_order == SoftcapOrder::after_mask && !mask.added.empty();
}

// The options of `request` that decide how scores become weights; `mask` is the mask of the whole scores.
ScoreRule score_rule_of(const Request& request, const Inputs& inputs, std::shared_ptr<const Mask> mask);

}  // namespace headscope
