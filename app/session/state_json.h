// Settings and ViewStates as JSON text.
#pragma once

#include <string>

#include "app/session/settings_values.h"
#include "app/session/view_state.h"

namespace headscope {

// Parsing throws Error that names malformed JSON, or a key that holds the wrong type. Unknown keys are ignored (they
// come from a newer version), numbers are clamped to the range that the window can show.
std::string settings_json(const Settings& settings);
Settings parse_settings(const std::string& json);

// All fields: those of a session file's "view", and the layout.
std::string view_state_json(const ViewState& view);
ViewState parse_view_state(const std::string& json);

}  // namespace headscope
