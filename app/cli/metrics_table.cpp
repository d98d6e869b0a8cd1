#include "app/cli/metrics_table.h"

#include <vector>

#include "app/cli/output.h"
#include "core/heads/model_metrics.h"
#include "core/heads/shown_weights.h"

namespace headscope::cli {

std::string metrics_table_text(const Trace& computed, const CancelToken& cancel) {
  const AsShown shown(computed, HiddenColumns::zero);
  const Trace& trace = shown.trace();
  const bool batches = trace.inputs->batch > 1;
  std::vector<Column> columns;
  std::vector<std::string> names;
  const auto add_column = [&](std::string name) {
    columns.push_back({true});
    names.push_back(std::move(name));
  };
  if (batches) add_column("batch");
  add_column("layer");
  add_column("head");
  for (const HeadMetric metric : all_head_metrics()) add_column(std::string(metric_key(metric)));
  std::vector<std::vector<std::string>> rows = {names};
  for (const HeadMetricsRow& row : metrics_of_all_heads(trace, cancel)) {
    std::vector<std::string> line;
    if (batches) line.push_back(std::to_string(row.batch));
    line.push_back(std::to_string(row.layer));
    line.push_back(std::to_string(row.head));
    for (const HeadMetric metric : all_head_metrics()) {
      const MetricValue& value = row.metrics[metric];
      line.push_back(value.rows > 0 ? short_number(value.value) : "-");
    }
    rows.push_back(std::move(line));
  }
  return table_text(columns, rows);
}

}  // namespace headscope::cli
