// The metrics of every head of every layer, as tables and files list them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/heads/head_metric_values.h"

namespace headscope {

struct HeadMetricsRow {
  std::int64_t batch = 0, layer = 0, head = 0;
  HeadMetrics metrics;
};

// Sorted by batch, layer and head: of all computed layers when the trace is a layer of a model, else of this trace.
// Empty when there are no weights. Throws Cancelled.
std::vector<HeadMetricsRow> metrics_of_all_heads(const Trace& trace, const CancelToken& cancel = {});

}  // namespace headscope
