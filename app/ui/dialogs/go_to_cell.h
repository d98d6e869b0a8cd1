// Picks a cell and brings it into sight.
#pragma once

#include "app/session/view_state.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// Picks a query and a key of the shown result, in the quantity of the heads when a stage without them is shown. In a
// large map they are looked at from near enough to see single cells.
void go_to_cell(Ui& ui, const Cell& cell);

}  // namespace headscope::ui
