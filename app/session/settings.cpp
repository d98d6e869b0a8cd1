#include "app/session/settings.h"

#include <filesystem>
#include <optional>
#include <ostream>
#include <system_error>

#include "app/session/folder_listing.h"
#include "app/session/kept_file.h"
#include "app/session/state_json.h"
#include "core/base/system/machine.h"
#include "core/base/utf8.h"
#include "core/io/atomic_file.h"

namespace headscope {

namespace {

std::string xdg_folder(const char* variable, const char* below_home) {
  const std::optional<std::string> value = system::environment(variable);
  if (value && system::is_absolute_path(*value)) return *value + "/headscope";
  const std::string home = known_home();
  return home.empty() ? "" : home + below_home + "/headscope";
}

std::string in_folder(const std::string& folder, const char* name) {
  return folder.empty() ? "" : folder + "/" + name;
}

}  // namespace

std::string config_folder() {
  return xdg_folder("XDG_CONFIG_HOME", "/.config");
}

std::string state_folder() {
  return xdg_folder("XDG_STATE_HOME", "/.local/state");
}

Settings load_settings(std::string& notice) {
  Settings settings;
  load_kept_file(
      in_folder(config_folder(), "settings.json"),
      [&settings](const std::string& text) { settings = parse_settings(text); }, notice);
  return settings;
}

std::string save_settings(const Settings& settings) {
  const std::string folder = config_folder();
  return save_kept_files(folder, [&] {
    const std::string bytes = settings_json(settings);
    write_file_atomically(
        folder + "/settings.json", [&bytes](std::ostream& out) { out << bytes; }, Replaces::own_files);
  });
}

void remember_folder(std::string& remembered, const std::string& folder) {
  if (is_valid_utf8(folder)) remembered = folder;
}

void remember_recent(Settings& settings, const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  const std::string remembered = error ? path : absolute.lexically_normal().string();
  if (!is_valid_utf8(remembered)) return;
  std::erase(settings.recent_files, remembered);
  settings.recent_files.insert(settings.recent_files.begin(), remembered);
  if (settings.recent_files.size() > kMostRecentFiles) settings.recent_files.resize(kMostRecentFiles);
}

}  // namespace headscope
