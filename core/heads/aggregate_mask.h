// Which cells of an aggregate no weight can reach: pictures hatch them, like the hidden cells of a head.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/attention/trace.h"
#include "core/heads/aggregate_kind.h"

namespace headscope {

// As a mask of one batch item and one head; null when there is none. mean, max: cells that every head of every layer
// hides. rollout, flow: pairs that no path joins, which stays at its token or goes through visible cells from layer to
// layer. `layers` as in LayersOfWeights, first layer first.
std::shared_ptr<const Mask> hidden_in_aggregate(Aggregate aggregate, const std::vector<const Trace*>& layers,
                                                std::int64_t batch);

}  // namespace headscope
