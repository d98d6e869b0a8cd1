#include "app/frame/window_picture.h"

#include <cstdlib>
#include <filesystem>
#include <map>

#include "core/error.h"
#include "core/io/atomic_file.h"
#include "core/io/png.h"
#include "core/io/session_file.h"
#include "core/picture/figure.h"

namespace headscope {
namespace {

std::string unused_path(const std::string& folder) {
  for (int n = 1;; ++n) {
    const std::string name = n == 1 ? "headscope-window.png" : "headscope-window-" + std::to_string(n) + ".png";
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return path.string();
  }
}

}  // namespace

bool start_window_picture(Session& session, const Settings& settings, const std::string& path, Image image) {
  const char* home = std::getenv("HOME");
  const std::string folder = !settings.export_folder.empty() ? settings.export_folder : home != nullptr ? home : ".";
  const std::string file = path.empty() ? unused_path(folder) : path;
  const ViewSpec view = view_spec_of(session.view);
  const auto trace = session.trace();
  const Request draft = session.draft;
  return session.start_job("Picture of the window", [=, image = std::move(image)](const CancelToken& cancel,
                                                                                  const std::function<void(double)>&) {
    const std::map<std::string, std::string> texts =
        trace != nullptr ? recipe_of(*trace, view)
                         : std::map<std::string, std::string>{{"headscope", session_json(draft, view)}};
    write_file_atomically(file, [&](std::ostream& out) { write_png(out, image, texts, cancel); });
    return "Written: " + file;
  });
}

}  // namespace headscope
