#include "app/session/export/unused_path.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "app/session/folder_listing.h"

namespace headscope {

std::string unused_export_path(const Settings& settings, const std::string& name, const std::string& ending) {
  const std::string folder = !settings.export_folder.empty() ? settings.export_folder : default_export_folder();
  for (int n = 1;; ++n) {
    const std::string number = n == 1 ? std::string() : fmt::format("-{}", n);
    const std::filesystem::path path = std::filesystem::path(folder) / (name + number + ending);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return path.string();
  }
}

}  // namespace headscope
