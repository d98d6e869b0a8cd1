// The rows of the statistics table, as text.
#pragma once

#include <string>
#include <vector>

#include "core/tensor/statistics.h"

namespace headscope::ui {

struct StatisticsRow {
  const char* name;     // "L2 norm"
  const char* formula;  // one sentence for the tooltip
  std::string value;
  bool is_count = false;  // a count of NaN or infinite numbers, which should be 0
  bool is_infinite = false;
  std::int64_t count = 0;
};

// min, max, mean, std, L2 norm, NaN, inf: seven rows.
std::vector<StatisticsRow> statistics_rows(const Statistics& statistics);

}  // namespace headscope::ui
