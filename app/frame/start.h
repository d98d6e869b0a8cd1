// What the window shows first.
#pragma once

#include <string>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/ui.h"

namespace headscope {

// Opens `path` when one is given, else the last session when `may_resume`, else the demo. What cannot be opened is
// said in a notice, and the next best is shown.
void open_first(Session& session, Settings& settings, ui::UiState& state, const std::string& path, bool may_resume);

// Adds (or replaces, by key) a notice; an empty fact does nothing.
void add_notice(ui::UiState& state, ui::Notice::Kind kind, const std::string& key, const std::string& fact,
                const std::string& advice = "");

}  // namespace headscope
