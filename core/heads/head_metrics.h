// The values that the metrics of a head have.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "core/heads/head_metric_kind.h"

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

}  // namespace headscope
