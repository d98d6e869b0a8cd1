// Passes the mouse events of a frame to Dear ImGui.
#pragma once

#include <vector>

#include "app/platform/key_event.h"

namespace headscope::ui {

// Call it before ImGui::NewFrame. Sets `shift` to that of the last event; unchanged when there is no event.
void apply_mouse(const std::vector<MouseEvent>& events, bool& shift);

}  // namespace headscope::ui
