#include "app/session/background/combined_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {

Statistics combined_statistics(const std::vector<Statistics>& parts) {
  Statistics all;
  double finite = 0;
  double sum = 0;
  double squares = 0;
  all.min = all.max = all.mean = all.std = std::numeric_limits<double>::quiet_NaN();
  for (const Statistics& part : parts) {
    all.count += part.count;
    all.nan_count += part.nan_count;
    all.inf_count += part.inf_count;
    const auto own = static_cast<double>(part.count - part.nan_count - part.inf_count);
    if (own == 0) continue;
    all.min = finite == 0 ? part.min : std::min(all.min, part.min);
    all.max = finite == 0 ? part.max : std::max(all.max, part.max);
    finite += own;
    sum += own * part.mean;
    squares += part.l2_norm * part.l2_norm;
  }
  all.l2_norm = std::sqrt(squares);
  if (finite == 0) return all;
  all.mean = sum / finite;
  // Each part's spread about its own mean, and the spread of the means.
  double spread = 0;
  for (const Statistics& part : parts) {
    const auto own = static_cast<double>(part.count - part.nan_count - part.inf_count);
    if (own == 0) continue;
    const double away = part.mean - all.mean;
    spread += own * (part.std * part.std + away * away);
  }
  all.std = std::sqrt(spread / finite);
  return all;
}

}  // namespace headscope
