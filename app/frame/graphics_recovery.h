// What the window does when the graphics driver has lost its context, as it does when a card is reset or taken away.
#pragma once

#include <memory>

#include "app/frame/frame.h"
#include "app/platform/window.h"

namespace headscope {

class GraphicsRecovery {
 public:
  // Looks whether the window's context, which must be current, was lost; call it after every frame, and when a frame
  // ended by an Error. If so, the window begins anew (Window::renew_context) with a drawer that has the state of the
  // last, on which the processor draws all heatmaps, and a notice says so. Returns whether that was done. Throws Error
  // when the driver refuses, or has lost the fourth context.
  bool recover(Window& window, std::unique_ptr<FrameDrawer>& drawer);

 private:
  int lost_ = 0;  // contexts
};

}  // namespace headscope
