// The formulas of metrics that are made of the logits of one position, and their slopes. Internal to core/sweep.
#pragma once

#include <span>
#include <vector>

#include "core/sweep/swept_metric.h"

namespace headscope {

// A metric of logits: its formula and its slopes, which are added to `out` [vocabulary], which holds zeros. `reference`
// is ln softmax of the run that the metric is held against. A null is a formula that is taken elsewhere, or no slope.
struct MetricFormula {
  MetricKind kind{};
  double (*value)(const SweepMetric& metric, std::span<const float> logits, const std::vector<double>& reference);
  void (*slope)(const SweepMetric& metric, std::span<const float> logits, const std::vector<double>& reference,
                std::span<double> out);
};

// Null where the metric is not made of the logits of one position.
const MetricFormula* metric_formula(MetricKind kind);

}  // namespace headscope
