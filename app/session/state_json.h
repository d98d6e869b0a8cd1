// Settings and ViewStates as JSON text.
#pragma once

#include <optional>
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

// What a session file and a picture's recipe keep at "window": the fields of view_state_json() that are no layout and
// differ from those of a new ViewState; "" when none does.
std::string window_json(const ViewState& view);
// Shows what a file keeps: its "window", and its view where the two do not say the same (only the window writes both; a
// picture may be of another part, and a hand may have changed the view). The layout stays. Throws Error as parsing
// does.
void apply_window(ViewState& view, const std::optional<ViewSpec>& spec, const std::string& window);

}  // namespace headscope
