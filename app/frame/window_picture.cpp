#include "app/frame/window_picture.h"

#include <fmt/format.h>
#include <imgui.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include "app/frame/start.h"
#include "app/gl/framebuffer.h"
#include "app/gl/offscreen.h"
#include "app/session/export/export_job.h"
#include "app/session/export/unused_path.h"
#include "app/session/folder_listing.h"
#include "app/session/lesson_stops.h"
#include "app/ui/imgui_compat.h"
#include "core/base/error.h"
#include "core/export/recipe.h"
#include "core/export/session_file.h"
#include "core/io/atomic_file.h"
#include "core/io/png.h"
#include "core/picture/figure/figure.h"

namespace headscope {

namespace {

// Makes the texts of a picture of the window as it is now, later and on any thread: their hashes read weights.
std::function<std::map<std::string, std::string>(const CancelToken&)> maker_of_texts(const Session& session,
                                                                                     const Settings& settings) {
  const ViewSpec shown = view_spec_of(session.view, settings.theme);
  const std::string window = window_of_picture(session.view);
  return [trace = session.trace(), draft = session.draft, shown, window](const CancelToken& cancel) {
    if (trace != nullptr) return recipe_of(*trace, fitted_view(shown, *trace), window, {.cancel = cancel});
    return std::map<std::string, std::string>{{"headscope", session_json(draft, shown, window)}};
  };
}

}  // namespace

std::map<std::string, std::string> window_texts(const Session& session, const Settings& settings) {
  return maker_of_texts(session, settings)({});
}

bool start_window_picture(Session& session, const Settings& settings, const std::string& path, Image image) {
  const std::string file = path.empty() ? unused_export_path(settings, "headscope-window", ".png") : path;
  const auto texts = maker_of_texts(session, settings);
  return session.jobs.start("Picture of the window", [=, image = std::move(image)](const CancelToken& cancel,
                                                                                   const std::function<void(double)>&) {
    const std::filesystem::path target = file;
    const std::map<std::string, std::string> recipe = texts(cancel);
    if (target.has_parent_path()) make_folder(target.parent_path().string());
    write_file_atomically(file, [&](std::ostream& out) { write_png(out, image, recipe, cancel); });
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(target, unknown);
    return "Wrote " + target.filename().string() + ", " + bytes_text(unknown ? 0 : static_cast<std::int64_t>(bytes)) +
           ", to " + short_path(target.parent_path().string());
  });
}

Image window_pixels_at(double factor, const DrawnWindow& window) {
  Surface large = window.surface;
  large.width = static_cast<int>(std::lround(large.width * factor));
  large.height = static_cast<int>(std::lround(large.height * factor));
  large.content_scale *= factor;
  // The pointer, whose place is of another size, is nowhere meanwhile; it hears of no move that could bring it back.
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  ui::compat::set_mouse_position(kNoPointer, kNoPointer);
  const auto target = make_offscreen_target(large.width, large.height);
  // The second frame knows the content heights that the first one found.
  for (int frame = 0; frame < 2; ++frame) {
    window.drawer.make(window.session, window.settings, large, {}, window.seconds);
    window.drawer.render(large);
  }
  ui::compat::set_mouse_position(pointer.x, pointer.y);
  return read_framebuffer(large.width, large.height);
}

void take_window_picture(const std::string& path, const DrawnWindow& window) {
  const double factor = path.empty() ? 1 : window.settings.export_scale;
  try {
    Image pixels =
        factor == 1 ? read_framebuffer(window.surface.width, window.surface.height) : window_pixels_at(factor, window);
    start_window_picture(window.session, window.settings, path, std::move(pixels));
  } catch (const Error& error) {
    add_notice(window.drawer.state, ui::Notice::Kind::bad, "window-picture", error.what());
  }
}

}  // namespace headscope
