// The lines between the panels, and the grips that move them.
#pragma once

#include "app/ui/layout.h"
#include "app/ui/ui.h"

namespace headscope::ui {

void draw_dividers(Ui& ui, const Layout& layout);

// Moves the borders that the user drags: request, inspector, concat. Drawn after the panels, above their edges.
void draw_panel_borders(Ui& ui, const Layout& layout);

}  // namespace headscope::ui
