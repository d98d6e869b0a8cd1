// Smooth lines on pixels. Internal to core/picture.
#pragma once

#include "core/base/image.h"
#include "core/picture/figure/figure_plan.h"

namespace headscope {

// The y of the curve at x, and its slope there; x in [x0, x1].
struct CurvePoint {
  double y = 0, slope = 0;
};
CurvePoint curve_at(const CurveItem& curve, double x);

// Draws the curve with smooth edges: the coverage of a pixel follows from its distance to the curve, measured along the
// normal. `image` may be a part of a larger picture that begins at its row `top`.
void draw_curve(Image& image, const CurveItem& curve, int top = 0);

}  // namespace headscope
