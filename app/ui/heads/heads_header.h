// The header of the heads panel: which quantity, colours and range its heatmaps have.
#pragma once

#include "app/ui/panel_data.h"

namespace headscope::ui {

// Title and the view controls; edits the view.
void draw_heads_header(Ui& ui, const Rect& area, PanelData& data, const Selection& selection);

}  // namespace headscope::ui
