// Settings and ViewStates as JSON text.
#pragma once

#include <string>

#include "app/session/settings.h"
#include "app/session/view_state.h"

namespace headscope {

// Parsing throws Error that names what is wrong: broken JSON, or a key that holds the wrong type. Unknown keys are
// passed over (a newer version's file), numbers are brought into the range that the window can show.
std::string settings_json(const Settings& settings);
Settings parse_settings(const std::string& json);

// Every field: what the session file's "view" keeps, and the layout.
std::string view_state_json(const ViewState& view);
ViewState parse_view_state(const std::string& json);

}  // namespace headscope
