// A metric that is taken of runs: which, of which tokens or which cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/sweep/measured_cell.h"
#include "core/sweep/metric_words.h"

namespace headscope {

struct SweepMetric {
  using Kind = MetricKind;
  Kind kind = Kind::logit;
  std::vector<std::int64_t> ids;          // of logit, probability and rank
  std::optional<MeasuredCell> cell = {};  // of a cell
  std::size_t added = 1;                  // so many of `ids`, the first ones, are added; the others are taken away
  // The number is its share of the way from the corrupt run to the clean one (RecoveredEnds). The functions
  // of sweep_metric.h give the number itself.
  bool recovered = false;
  // Whether it is taken at one position of the prediction.
  bool has_position() const { return metric_word(kind).at_a_position; }
  MetricReference against() const { return metric_word(kind).against; }
};

}  // namespace headscope
