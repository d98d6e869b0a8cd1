// The queries and keys of a head as points of a plane.
#pragma once

#include "app/ui/ui.h"

namespace headscope::ui {

inline constexpr const char* kScatterPlot = "scatter/plot";

void draw_scatter_panel(Ui& ui, const Rect& area);

}  // namespace headscope::ui
