// Hands the mouse of a frame to Dear ImGui.
#pragma once

#include <vector>

#include "app/platform/key_event.h"

namespace headscope::ui {

// Before ImGui::NewFrame. `shift` becomes what the last event says, and stays as it is where there is none.
void apply_mouse(const std::vector<MouseEvent>& events, bool& shift);

}  // namespace headscope::ui
