// What every attention weight does to one number of a model, as a service of latest_work.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/session/background/work/latest_work.h"
#include "core/attention/engine.h"
#include "core/attention/trace.h"
#include "core/sweep/weight_gradients.h"

namespace headscope {

struct GradientsQuery {
  std::shared_ptr<const Trace> trace;  // of a whole model
  std::string metric;                  // as parse_sweep_metric() reads it; "": the logit of what the model says
  std::int64_t steps = 0;              // of integrated gradients; 0: the run's own gradients
  friend bool operator==(const GradientsQuery&, const GradientsQuery&) = default;
};

using Gradients = LatestWork<GradientsQuery, WeightGradients>;

// The weights of all heads that one answer holds: two numbers each.
inline constexpr std::int64_t kMostGradientWeights = std::int64_t{1} << 25;

// The work of the service, on an engine of these options. Fails as weight_gradients(), and above kMostGradientWeights.
Gradients::Work weight_gradient_work(EngineOptions engine);

}  // namespace headscope
