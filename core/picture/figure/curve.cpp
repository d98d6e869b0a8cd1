#include "core/picture/figure/curve.h"

#include <algorithm>
#include <cmath>

#include "core/picture/blend.h"

namespace headscope {

// With the inner points at half the way, x(t) = x0 + (x1 - x0) (3/2 t - 3/2 t^2 + t^3), which only grows, and
// y(t) = y0 + (y1 - y0) (3 t^2 - 2 t^3).
CurvePoint curve_at(const CurveItem& curve, double x) {
  const double width = curve.x1 - curve.x0, height = curve.y1 - curve.y0;
  const double share = std::clamp((x - curve.x0) / width, 0.0, 1.0);
  double t = share;
  for (int step = 0; step < 4; ++step) {
    t -= (t * (1.5 + t * (t - 1.5)) - share) / (1.5 + t * (3 * t - 3));
  }
  t = std::clamp(t, 0.0, 1.0);
  return {curve.y0 + height * t * t * (3 - 2 * t), height * 6 * t * (1 - t) / (width * (1.5 + t * (3 * t - 3)))};
}

void draw_curve(Image& image, const CurveItem& curve, int top) {
  if (!(curve.x1 > curve.x0) || curve.color.a == 0) return;
  // What is thinner than a pixel is drawn a pixel wide and fainter.
  const double width = std::max(curve.width, 1.0), strength = std::min(curve.width, 1.0);
  const double reach = width / 2 + 0.5;
  if (std::max(curve.y0, curve.y1) + reach < top || std::min(curve.y0, curve.y1) - reach > top + image.height) return;
  const int left = std::max(static_cast<int>(std::floor(curve.x0)), 0);
  const int right = std::min(static_cast<int>(std::ceil(curve.x1)), image.width);
  for (int x = left; x < right; ++x) {
    // Of the first and last pixel only a part lies between the ends.
    const double covered = std::min(x + 1.0, curve.x1) - std::max<double>(x, curve.x0);
    const CurvePoint point = curve_at(curve, x + 0.5);
    const double along = std::sqrt(1 + point.slope * point.slope), half = reach * along;
    const int first = std::max(static_cast<int>(std::floor(point.y - half)), top);
    const int end = std::min(static_cast<int>(std::ceil(point.y + half)), top + image.height);
    for (int y = first; y < end; ++y) {
      const double coverage = std::clamp(reach - std::fabs(y + 0.5 - point.y) / along, 0.0, 1.0);
      if (coverage > 0) blend_over(image.at(x, y - top), curve.color, coverage * strength * covered);
    }
  }
}

}  // namespace headscope
