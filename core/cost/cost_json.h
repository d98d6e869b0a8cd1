// A manifest's `cost` is made here: a layer's costs as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/cost/layer_cost.h"
#include "core/cost/machine_peaks.h"

namespace headscope {

// What --cost asks for.
struct CostReport {
  LayerCost cost;
  MachinePeaks peaks;
};

// {"layer", "layers" (null where there is no model), "notes": [sentences], "sizes": {symbol: {"here", "twice_as_long",
// "meaning"}}, "machine": {"threads", "operations_per_second", "bytes_per_second", "ridge" (operations a byte)},
// "stages": {stage: COST}, "total": COST, "one_pass": COST}, where COST is {"multiply_adds", "operations",
// "bytes_read", "bytes_written", "bytes", "intensity" (operations a byte; null where no byte is moved), "cache_bytes",
// "limited_by" ("arithmetic", "memory" or null), "seconds_at_peak", "twice_as_long": {the same numbers but for the last
// two}, "formulas": {"multiply_adds", "other_operations", "bytes_read", "bytes_written", "cache_bytes"}}. "one_pass"
// has no formulas.
nlohmann::ordered_json cost_json(const CostReport& report);

}  // namespace headscope
