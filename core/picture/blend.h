// One colour over another. Internal to core/picture.
#pragma once

#include "core/base/image.h"

namespace headscope {

// Draws `color` over `ground`, covering a share in [0, 1] of the pixel; mixed as bytes, as browsers and the window do.
void blend_over(Rgba& ground, Rgba color, double coverage);

}  // namespace headscope
