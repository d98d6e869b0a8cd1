// The mask as a matrix to paint on: what is hidden by hand, what each query sees, files in and out.
#pragma once

#include "app/ui/ui.h"

namespace headscope::ui {

// Whether the scores on screen have a mask that can be painted: computed, and small enough for one byte a cell.
bool has_mask_to_paint(const Ui& ui);

constexpr const char* kMaskGrid = "mask/grid";  // the control that is painted on

void draw_mask_panel(Ui& ui, const Rect& area);

}  // namespace headscope::ui
