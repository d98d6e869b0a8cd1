#include "core/picture/fitted_range.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/tensor/row_strips.h"

namespace headscope {

void add_visible(SpreadCounts& counts, const Tensor& matrix, const Mask* mask, std::int64_t batch, std::int64_t head) {
  std::vector<std::uint8_t> hidden;
  for_each_row(matrix, [&](const Index&, std::int64_t row, std::span<const float> values) {
    if (mask == nullptr) return counts.add(values);
    if (const std::optional<VisibleKeys> keys = mask->hidden.visible_keys(batch, head, row)) {
      for (const Range& run : {keys->first, keys->second}) {
        counts.add(values.subspan(static_cast<std::size_t>(run.begin), static_cast<std::size_t>(run.size())));
      }
      return;
    }
    hidden.resize(values.size());
    mask->hidden.read_row(batch, head, row, hidden);
    counts.add_visible(values, hidden);
  });
}

ValueRange fitted_range(const ValueSpread& spread, bool signed_data) {
  if (spread.count == 0) return {0, 1};
  if (signed_data) {
    double largest = std::max(std::fabs(spread.low), std::fabs(spread.high));
    if (!(largest > 0)) largest = std::max(std::fabs(spread.min), std::fabs(spread.max));
    return largest > 0 ? ValueRange{-largest, largest} : ValueRange{-1, 1};
  }
  if (spread.high > spread.low) return {spread.low, spread.high};
  if (spread.max > spread.min) return {spread.min, spread.max};
  return spread.max > 0 ? ValueRange{0, spread.max} : ValueRange{spread.min, spread.min + 1};
}

bool is_crowded(const ValueSpread& spread, const ValueRange& range) {
  constexpr double kTwentieth = 0.05;
  const double span = range.high - range.low;
  return spread.count > 0 && spread.max > spread.min && span > 0 && spread.narrowest <= kTwentieth * span;
}

}  // namespace headscope
