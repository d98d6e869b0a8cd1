#include "core/heads/head_metric_sums.h"

namespace headscope {

bool HeadMetricSums::add(std::int64_t i, const HeadRowValues& row) {
  for (const HeadMetric metric : all_head_metrics()) {
    if (!row.has(metric)) continue;
    Mean& mean = means_[static_cast<std::size_t>(metric)];
    mean.sum += row[metric];
    ++mean.rows;
  }
  if (!row.has_choice || !(row.largest > arc_weight_)) return false;
  arc_weight_ = row.largest;
  arc_query_ = i;
  return true;
}

HeadMetrics HeadMetricSums::metrics() const {
  HeadMetrics result;
  for (const HeadMetric metric : all_head_metrics()) {
    const Mean& mean = means_[static_cast<std::size_t>(metric)];
    if (mean.rows > 0) result[metric] = {mean.sum / static_cast<double>(mean.rows), mean.rows};
  }
  result.arc_query = arc_query_;
  result.arc_key = arc_key_;
  result.arc_weight = arc_weight_;
  return result;
}

}  // namespace headscope
