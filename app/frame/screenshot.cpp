#include "app/frame/screenshot.h"

#include "app/frame/frame.h"
#include "app/frame/probe_file.h"
#include "app/frame/start.h"
#include "app/gl/framebuffer.h"
#include "app/gl/offscreen.h"
#include "core/io/atomic_file.h"
#include "core/io/png.h"

namespace headscope {

void draw_screenshot(const Options& options) {
  const int width = options.width > 0 ? options.width : 1600, height = options.height > 0 ? options.height : 1000;
  const ImGuiGuard imgui;
  const auto context = make_offscreen_context();
  const auto target = make_offscreen_target(width, height);
  const Surface surface = null_surface(width, height, options.scale > 0 ? options.scale : 1);
  FrameDrawer drawer;
  Settings settings;
  if (options.theme) settings.theme = *options.theme;
  Session session(make_inline_executor(), [] {});
  open_first(session, settings, drawer.state, options.path, false);
  if (options.theme) session.view.theme = *options.theme;

  const auto start = std::chrono::steady_clock::now();
  for (int frame = 0; frame < options.frames; ++frame) {
    const double seconds = frame / 60.0;
    session.update(start + std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6)));
    drawer.draw(session, settings, surface, {}, seconds);
  }
  const Image image = read_framebuffer(width, height);
  write_file_atomically(options.screenshot, [&](std::ostream& out) { write_png(out, image, {}); });
  if (!options.probe.empty()) {
    write_probe(options.probe, options.frames, true, width, height, session, drawer.state, drawer.probe,
                {.ui_ms = drawer.ui_ms});
  }
}

}  // namespace headscope
