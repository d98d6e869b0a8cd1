// Drawing shared by several controls.
#pragma once

#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

// Whether to draw the focus ring: only when the focus was moved by keyboard, not by a click.
bool shows_ring(const Ui& ui, const Interaction& it);

// Ground, edge, problem edge and focus ring of buttons, combos and chips.
void control_box(Ui& ui, const Rect& rect, const ControlState& state, const Interaction& it, bool on);

// A combo without its list: sets state.open_combo; Up and Down move the selection. True when a key changed `selected`.
bool combo_head(Ui& ui, const std::string& name, const Rect& rect, const std::vector<std::string>& items, int& selected,
                const ComboLook& look);

}  // namespace headscope::ui
