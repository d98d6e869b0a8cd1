// Settings and the last session, kept between starts in XDG folders and written atomically.
#pragma once

#include <string>
#include <vector>

#include "app/session/view_state.h"
#include "core/request/request.h"

namespace headscope {

// $XDG_CONFIG_HOME/headscope (else ~/.config/headscope) and $XDG_STATE_HOME/headscope (else ~/.local/state/headscope).
// A variable that does not hold an absolute path counts as unset. "" when there is no home folder: then nothing is
// kept.
std::string config_folder();
std::string state_folder();

constexpr std::size_t kMostRecentFiles = 12;
constexpr int kMostTourSteps = 100;

struct Settings {
  Theme theme = Theme::dark;
  double ui_scale = 1;
  std::vector<std::string> recent_files;  // newest first, at most 12
  std::string export_folder;              // "" until the first export
  std::string open_folder;
  std::string export_format = "png";
  double export_scale = 2;
  int window_width = 1600, window_height = 1000;
  std::string native_dialogs = "auto";  // auto | never
  int stage_memory_mib = 1024;          // larger stages are computed when read
  std::string language = "auto";        // of tour and examples: "auto" (by the locale), or a code, "es"
  int tour_step = 0;                    // the next step of the tour, counted from 0
};

// A malformed file is renamed to settings.json.broken and named in `notice`; the defaults are returned.
Settings load_settings(std::string& notice);
// Never throws; a sentence when it could not be written, else "".
std::string save_settings(const Settings& settings);
// Puts the path, made absolute, first in recent_files; it is listed once.
void remember_recent(Settings& settings, const std::string& path);

// The last session (draft and view with layout), saved at exit and every time a result stays for 5 seconds.
struct LastSession {
  Request request;
  ViewState view;
};
// False when there is none, or when the file is malformed: it is then renamed to *.broken and named in `notice`.
bool load_last_session(LastSession& last, std::string& notice);
// Never throws; a sentence when it could not be written, else "".
std::string save_last_session(const LastSession& last);

}  // namespace headscope
