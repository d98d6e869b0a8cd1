#include "app/frame/screenshot.h"

#include <utility>

#include "app/frame/frame.h"
#include "app/frame/probe_file.h"
#include "app/frame/session_options.h"
#include "app/frame/start.h"
#include "app/gl/framebuffer.h"
#include "app/gl/offscreen.h"
#include "app/ui/command_list.h"
#include "core/base/error.h"
#include "core/base/memory_failures.h"
#include "core/io/atomic_file.h"
#include "core/io/png.h"

namespace headscope {
namespace {

// "heads=7" sets an option; anything else is the title of a command, as in the menu.
ui::Command command_named(const std::string& step) {
  if (step.find('=') != std::string::npos) return {ui::CommandId::set_option, step};
  for (const ui::CommandInfo& info : ui::command_list()) {
    if (step == info.title) return {info.id, ""};
  }
  throw UsageError("then", "found '" + step + "', expected OPTION=VALUE or the title of a command in the menu");
}

}  // namespace

void draw_screenshot(const Options& options) {
  const int width = options.width > 0 ? options.width : 1600, height = options.height > 0 ? options.height : 1000;
  const ImGuiGuard imgui;
  const auto context = make_offscreen_context();
  const auto target = make_offscreen_target(width, height);
  const Surface surface = null_surface(width, height, options.scale > 0 ? options.scale : 1);
  FrameDrawer drawer;
  Settings settings;
  if (options.theme) settings.theme = *options.theme;
  const auto make_context = [&context, share = drawer.textures().share()] {
    try {
      return make_sharing_context(*context, share);
    } catch (const Error&) {
      return make_offscreen_context({4, 3, true});  // pixels come back then
    }
  };
  Session session(
      make_inline_executor(), [] {}, session_options(settings, make_context));
  open_first(session, settings, drawer.state, options.path, nullptr);
  if (options.theme) settings.theme = *options.theme;

  const auto start = std::chrono::steady_clock::now();
  int frame = 0;
  const auto draw_frames = [&](std::vector<ui::Command> commands) {
    for (int end = frame + options.frames; frame < end; ++frame) {
      const double seconds = frame / 60.0;
      session.update(start + std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6)));
      drawer.make(session, settings, surface, {}, seconds, std::exchange(commands, {}));
      drawer.render(surface);
    }
  };
  draw_frames({});
  for (const std::string& step : options.then) draw_frames({command_named(step)});
  const Image image = read_framebuffer(width, height);
  check_memory();
  write_file_atomically(options.screenshot, [&](std::ostream& out) { write_png(out, image, {}); });
  if (!options.probe.empty()) {
    write_probe(options.probe, {.frame = frame,
                                .resting = true,
                                .surface = surface,
                                .session = session,
                                .settings = settings,
                                .drawer = drawer,
                                .timing = {.ui_ms = drawer.ui_ms}});
  }
}

}  // namespace headscope
