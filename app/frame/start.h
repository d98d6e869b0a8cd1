// Opens the first document, and shows notices.
#pragma once

#include <string>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/ui.h"

namespace headscope {

// Opens `path` when one is given, else the last session when `may_resume`, else the demo. When one cannot be opened, a
// notice says so, and the next one is opened.
void open_first(Session& session, Settings& settings, ui::UiState& state, const std::string& path, bool may_resume);

// Adds a notice, or replaces the one with this key; does nothing when `fact` is "".
void add_notice(ui::UiState& state, ui::Notice::Kind kind, const std::string& key, const std::string& fact,
                const std::string& advice = "");

}  // namespace headscope
