// The whole window as a PNG that can be opened as a session.
#pragma once

#include <map>
#include <string>

#include "app/frame/frame.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "core/base/image.h"

namespace headscope {

// The texts of a PNG of the window, by which it opens again: the recipe of the shown trace and view.
std::map<std::string, std::string> window_texts(const Session& session, const Settings& settings);

// Writes `image` with the recipe of the shown trace, as a job of the session; false while another job runs. `path` "":
// headscope-window.png (or -2, -3 ...) in the folder of exports.
bool start_window_picture(Session& session, const Settings& settings, const std::string& path, Image image);

// What draws the window, and where and when.
struct DrawnWindow {
  FrameDrawer& drawer;
  Session& session;
  Settings& settings;
  const Surface& surface;
  double seconds = 0;
};

// The pixels of the window at `factor` times its size: the same panels drawn again off screen, with everything in them
// larger, and no mouse over them. Throws Error when the driver cannot hold that many pixels.
Image window_pixels_at(double factor, const DrawnWindow& window);

// Starts the picture of the frame that was rendered last, as large as the export dialog was told; `path` "" is the
// menu's: as large as on the screen. A notice says where that is refused.
void take_window_picture(const std::string& path, const DrawnWindow& window);

}  // namespace headscope
