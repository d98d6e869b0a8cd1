#include "app/frame/graphics_recovery.h"

#include <utility>

#include "app/frame/start.h"
#include "app/gl/lost_context.h"
#include "core/base/error.h"

namespace headscope {

namespace {

// A driver that loses one after the other would only make the window flicker.
constexpr int kMostLost = 3;

}  // namespace

bool GraphicsRecovery::recover(Window& window, std::unique_ptr<FrameDrawer>& drawer) {
  if (!context_is_lost()) return false;
  if (++lost_ > kMostLost) {
    throw Error(
        "The graphics driver has lost the window again and again. What you did is saved; LIBGL_ALWAYS_SOFTWARE=1 "
        "headscope draws without the graphics card.");
  }
  drawer->abandon();
  ui::UiState state = std::move(drawer->state);
  drawer.reset();
  window.renew_context();
  a_new_context_begins();
  drawer = std::make_unique<FrameDrawer>(HeatmapDrawer::processor);
  drawer->state = std::move(state);
  add_notice(drawer->state, ui::Notice::Kind::warn, "graphics", "The graphics driver lost the window's pictures.",
             "The processor draws the heatmaps from now on, which takes longer. Nothing that you did is lost.");
  return true;
}

}  // namespace headscope
