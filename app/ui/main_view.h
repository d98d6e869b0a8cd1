// Which view has the room under the phrase: one layer's panels, or one that takes their place.
#pragma once

#include <string>

#include "app/ui/ui.h"

namespace headscope::ui {

// What is drawn in this frame: what the view asks for, or `layer` where that has nothing to show.
MainView shown_main_view(const Ui& ui);

// Shows `main_view` with the focus on the control `focus`, or one layer's panels when it is shown already.
void toggle_main_view(Ui& ui, MainView main_view, const std::string& focus);

// Whether there is a result to show; while there is none, a notice says so. `key` is the notice's.
bool has_result(Ui& ui, const std::string& key);

// Draws the shown view in its place; there is one, other than `layer`.
void draw_main_view(Ui& ui, const Rect& area);

}  // namespace headscope::ui
