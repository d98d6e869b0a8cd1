// The window as a picture, drawn without a window.
#pragma once

#include "app/frame/options.h"

namespace headscope {

// Draws options.frames frames of options.width x options.height through EGL and writes options.screenshot. Reads and
// writes neither settings nor the last session: the same command gives the same picture. Throws Error.
void draw_screenshot(const Options& options);

}  // namespace headscope
