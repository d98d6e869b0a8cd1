#include "core/picture/arc_style.h"

#include <algorithm>

namespace headscope {

ArcStyle arc_style(double weight, ArcTone tone, double row_height) {
  const double w = std::clamp(weight, 0.0, 1.0), slim = std::clamp(row_height / 28, 0.25, 1.0);
  switch (tone) {
    case ArcTone::plain:
      return {slim * (0.6 + 4.4 * w), 0.15 + 0.75 * w};
    case ArcTone::bright:
      return {slim * (1.0 + 5.0 * w), 0.45 + 0.55 * w};
    case ArcTone::dim:
      return {slim * (0.6 + 2.4 * w), 0.06 + 0.44 * w};
  }
  return {};
}

double arc_offset(std::int64_t k, std::int64_t heads, double row_height) {
  if (heads < 2) return 0;
  const double spacing = std::min(3.0, row_height / 3 / static_cast<double>(heads - 1));
  return (static_cast<double>(k) - static_cast<double>(heads - 1) / 2) * spacing;
}

}  // namespace headscope
