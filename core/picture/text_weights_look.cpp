#include "core/picture/text_weights_look.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace headscope {

WordLook word_look(float value, bool hidden, const WordColors& colors) {
  constexpr Rgba kWhite{255, 255, 255, 255};
  if (std::isnan(value)) return {kNanColor, kWhite, false};
  if (hidden) return {palette(colors.theme).well, palette(colors.theme).text3, true};
  if (std::isinf(value)) return {kNanColor, kWhite, false};
  const ValueScale scale = value_scale(colors.range);
  const Rgba ground = color_table(colors.map)[static_cast<std::size_t>(scale.entry(value))];
  return {ground, ink_on(ground), false};
}

ValueRange head_range(const TextWeights& weights) {
  double largest = 0;
  for (const float each : weights.largest_by_head) largest = std::max(largest, static_cast<double>(each));
  return {0, largest > 0 ? largest : 1, false, false};
}

ValueRange word_range(const TextWeights& weights, const ViewSpec& view) {
  if (view.range == RangeKind::fixed) return {view.range_low, view.range_high, view.log_scale, false};
  return {0, weights.largest > 0 ? weights.largest : 1, view.log_scale, false};
}

}  // namespace headscope
