// Means of the metrics of a head's rows. Used by head_metric_values and head_metric_rows only.
#pragma once

#include <array>
#include <cstdint>

#include "core/heads/head_metrics.h"
#include "core/heads/head_row_values.h"

namespace headscope {

class HeadMetricSums {
 public:
  // Rows come in the order of their index. True when the row has the largest weight so far; then set_arc_key() may say
  // where.
  bool add(std::int64_t i, const HeadRowValues& row);
  // The key of the largest weight of the row that was added last.
  void set_arc_key(std::int64_t key) { arc_key_ = key; }
  HeadMetrics metrics() const;

 private:
  struct Mean {
    double sum = 0;
    std::int64_t rows = 0;
  };
  std::array<Mean, kHeadMetrics> means_;
  std::int64_t arc_query_ = -1, arc_key_ = -1;
  double arc_weight_ = 0;
};

}  // namespace headscope
