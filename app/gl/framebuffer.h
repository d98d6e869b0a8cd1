// The framebuffer that is bound: the window's, or an OffscreenTarget's.
#pragma once

#include "core/base/image.h"

namespace headscope {

// Fills the framebuffer with `color` and sets the viewport to all of it.
void clear_framebuffer(int width, int height, Rgba color);

// Its pixels, top row first, opaque.
Image read_framebuffer(int width, int height);

}  // namespace headscope
