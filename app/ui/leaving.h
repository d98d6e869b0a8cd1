// One rule for leaving: Esc, an x and a click beside what lies over the panels. And what there is to leave.
#pragma once

#include "app/ui/layout.h"
#include "app/ui/shell_state.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// What the layout has room for. The pipeline says itself how it is drawn.
OnScreen on_screen_of(const Ui& ui, const Layout& layout);

// A click beside the Request that lies over the panels closes it; what was clicked acts too. The menus, the status bar,
// the edge by which it is made wider, and a callout that speaks of it keep it open.
void close_request_by_click(Ui& ui, const Layout& layout);

// Esc that no control took leaves what lies on top: the opened phrase, the Request over the panels, the view or the
// enlarged inspector, a notice; then the focus goes back to nothing.
void leave_top(Ui& ui);

}  // namespace headscope::ui
