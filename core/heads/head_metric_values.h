// The metrics of a head: entropy, distance, and the share of weight at the places that known kinds of heads attend to.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/heads/head_metric_kind.h"
#include "core/heads/token_places.h"

namespace headscope {

// A mean and over how many rows it was taken; NaN over none.
struct MetricValue {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::int64_t rows = 0;
};

struct HeadMetrics {
  std::array<MetricValue, kHeadMetrics> values;
  std::int64_t arc_query = -1, arc_key = -1;  // place of the largest weight of rows with a choice; -1: none
  double arc_weight = 0;

  const MetricValue& operator[](HeadMetric metric) const { return values[static_cast<std::size_t>(metric)]; }
  MetricValue& operator[](HeadMetric metric) { return values[static_cast<std::size_t>(metric)]; }
};

// From `weights` of one batch item and head, exact also where they are computed when read: row by row, in double. Rows
// with NaN are left out; rows that see one key are left out of everything but the entropy, since their softmax is 1
// whatever the head does, unless a learned sink takes part in it (head_row_values.h). Throws Cancelled.
HeadMetrics head_metrics(const Trace& trace, std::int64_t batch, std::int64_t head, const TokenPlaces& places,
                         const CancelToken& cancel = {});
HeadMetrics head_metrics(const Trace& trace, std::int64_t batch, std::int64_t head);

}  // namespace headscope
