// Settings, kept between starts in XDG folders and written atomically.
#pragma once

#include <string>

#include "app/session/settings_values.h"

namespace headscope {

// $XDG_CONFIG_HOME/headscope (else ~/.config/headscope) and $XDG_STATE_HOME/headscope (else ~/.local/state/headscope).
// A variable that does not hold an absolute path counts as unset. "" when there is no home folder: then nothing is
// kept.
std::string config_folder();
std::string state_folder();

// A malformed file is renamed to settings.json.broken and named in `notice`; the defaults are returned.
Settings load_settings(std::string& notice);
// Never throws; a sentence when it could not be written, else "".
std::string save_settings(const Settings& settings);
// Puts the path, made absolute, first in recent_files; it is listed once. Not one that is no UTF-8: settings are JSON.
void remember_recent(Settings& settings, const std::string& path);
// One of the settings' folders is `folder` from now on, unless it is no UTF-8.
void remember_folder(std::string& remembered, const std::string& folder);

}  // namespace headscope
