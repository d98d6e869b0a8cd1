// This service of latest_work.h asks what a model predicts with all heads, and without one of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/session/background/work/compute_queue.h"
#include "app/session/background/work/latest_work.h"
#include "core/attention/engine.h"
#include "core/attention/output_head.h"
#include "core/attention/trace.h"
#include "core/request/interventions.h"

namespace headscope {

// `trace` is that of a whole model with predictions (has_predictions()). With `without`, the model also runs with the
// head switched off, beside all that is changed already.
struct HeadEffectQuery {
  std::shared_ptr<const Trace> trace;
  std::int64_t batch = 0;
  LayerHead head;
  bool without = false;
  friend bool operator==(const HeadEffectQuery&, const HeadEffectQuery&) = default;
};

struct HeadEffect {
  bool next_token = true;             // else a masked head, which says what stands at `position` itself
  std::int64_t position = 0;          // predicted_position()
  std::vector<TokenProbability> top;  // with all heads, most probable first: at most kMostEffects
  std::vector<double>
      without;  // the probability of each of `top` without the head; empty: not asked for, or it cannot be off
};
inline constexpr std::int64_t kMostEffects = 12;

using HeadEffects = LatestWork<HeadEffectQuery, HeadEffect>;

// The work of the service: `compute` runs the request without the head on an engine of these options. The predictions
// with all heads come first, as a part. Fails as the run does.
HeadEffects::WorkInParts head_effect_work(Compute compute, EngineOptions engine);

}  // namespace headscope
