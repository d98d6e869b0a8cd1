// What the drawing of several controls shares.
#pragma once

#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

// The ring is for the keyboard: a click does not draw it.
bool shows_ring(const Ui& ui, const Interaction& it);

// Ground, edge, problem edge and focus ring of buttons, combos and chips.
void control_box(Ui& ui, const Rect& rect, const ControlState& state, const Interaction& it, bool on);

// A combo without its list: opens state.open_combo, walks by Up and Down. True when the walk changed `selected`.
bool combo_head(Ui& ui, const std::string& name, const Rect& rect, const std::vector<std::string>& items, int& selected,
                const ControlState& state, Type type);

}  // namespace headscope::ui
