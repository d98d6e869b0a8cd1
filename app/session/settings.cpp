#include "app/session/settings.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <system_error>

#include "app/session/folder_listing.h"
#include "app/session/state_json.h"
#include "core/base/error.h"
#include "core/export/session_file.h"
#include "core/io/atomic_file.h"

namespace headscope {

namespace {

// Far above what is ever written; a larger file is not ours.
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

std::string xdg_folder(const char* variable, const char* below_home) {
  const char* value = std::getenv(variable);
  if (value != nullptr && value[0] == '/') return std::string(value) + "/headscope";
  const std::string home = known_home();
  return home.empty() ? "" : home + below_home + "/headscope";
}

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(path, error)) && !error;
}

void add_sentence(std::string& notice, const std::string& sentence) {
  if (!notice.empty()) notice += ' ';
  notice += sentence;
}

// Reads and parses a file of ours. False when there is none or it cannot be used; one that is broken is put aside.
bool load(const std::string& path, const std::function<void(const std::string&)>& parse, std::string& notice) {
  if (path.empty() || !exists(path)) return false;
  std::string text;
  try {
    text = read_small_file(path, kMostBytes);
  } catch (const std::exception& error) {
    add_sentence(notice, std::string(error.what()) + "; the defaults are used.");
    return false;
  }
  try {
    parse(text);
    return true;
  } catch (const std::exception& error) {
    const std::string aside = path + ".broken";
    std::error_code refused;
    std::filesystem::rename(path, aside, refused);
    add_sentence(notice, path + " could not be used (" + error.what() + "); " +
                             (refused ? "it could not be moved aside either" : "it was put aside as " + aside) +
                             ", the defaults are used.");
    return false;
  }
}

// "" or why not.
std::string save(const std::string& folder, const std::string& name, const std::function<std::string()>& text) {
  if (folder.empty()) return "There is no home folder (HOME is not set), so nothing is remembered.";
  try {
    make_folder(folder);
    const std::string bytes = text();
    write_file_atomically(folder + "/" + name, [&bytes](std::ostream& out) { out << bytes; });
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
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
  load(
      in_folder(config_folder(), "settings.json"),
      [&settings](const std::string& text) { settings = parse_settings(text); }, notice);
  return settings;
}

std::string save_settings(const Settings& settings) {
  return save(config_folder(), "settings.json", [&settings] { return settings_json(settings); });
}

void remember_recent(Settings& settings, const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  const std::string remembered = error ? path : absolute.lexically_normal().string();
  std::erase(settings.recent_files, remembered);
  settings.recent_files.insert(settings.recent_files.begin(), remembered);
  if (settings.recent_files.size() > kMostRecentFiles) settings.recent_files.resize(kMostRecentFiles);
}

bool load_last_session(LastSession& last, std::string& notice) {
  const std::string folder = state_folder();
  LastSession loaded;
  const bool found = load(
      in_folder(folder, "last-session.json"),
      [&loaded](const std::string& text) {
        const SessionFile file = parse_session(text, "the last session");
        loaded.request = file.request;
        if (file.view) apply_view_spec(loaded.view, *file.view);
      },
      notice);
  if (!found) return false;
  load(
      in_folder(folder, "last-view.json"), [&loaded](const std::string& text) { loaded.view = parse_view_state(text); },
      notice);
  last = loaded;
  return true;
}

std::string save_last_session(const LastSession& last) {
  const std::string folder = state_folder();
  const std::string refused = save(folder, "last-session.json", [&last] {
    return session_json(last.request, view_spec_of(last.view, ViewSpec().theme));  // the theme is in the settings
  });
  if (!refused.empty()) return refused;
  return save(folder, "last-view.json", [&last] { return view_state_json(last.view); });
}

}  // namespace headscope
