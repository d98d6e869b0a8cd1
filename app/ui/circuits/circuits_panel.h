// What heads can do with each other and with tokens, from weights alone.
#pragma once

#include <string>

#include "app/ui/ui.h"

namespace headscope::ui {

inline constexpr const char* kCircuitsMap = "circuits/map";

// The control that has the focus when the view opens.
std::string circuits_focus(const Ui& ui);

void draw_circuits_panel(Ui& ui, const Rect& area);

}  // namespace headscope::ui
