// Lends the window's context to a GPU backend.
#pragma once

#include "app/frame/frame.h"
#include "app/gl/context_lender.h"
#include "app/platform/window.h"

namespace headscope {

// To a GPU backend that asks: textures that both have need not come back to be drawn. Not where the window is drawn by
// the CPU and a graphics card could compute.
void lend_context(const ContextLender& lender, Window& window, const FrameDrawer& drawer);

}  // namespace headscope
