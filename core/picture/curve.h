// Smooth lines on pixels. Internal to core/picture.
#pragma once

#include "core/base/image.h"
#include "core/picture/figure_plan.h"

namespace headscope {

// `color` over `ground` where it covers this share of the pixel, mixed as bytes, as browsers and the window do.
void blend_over(Rgba& ground, Rgba color, double coverage);

// The y of the curve at x, and its slope there; x in [x0, x1].
struct CurvePoint {
  double y = 0, slope = 0;
};
CurvePoint curve_at(const CurveItem& curve, double x);

// Draws it with smooth edges: a pixel is covered by its distance to the curve, measured along the normal. `image` may
// be a part of a larger picture that begins at its row `top`.
void draw_curve(Image& image, const CurveItem& curve, int top = 0);

}  // namespace headscope
