// The menu of one head: switch it off, hold its weights, multiply its query or key. A right click on the head opens it,
// and Ctrl+H for the selected one.
#pragma once

#include "app/ui/ui.h"
#include "core/request/request.h"

namespace headscope::ui {

// What a right click on a head is good for, for tooltips and hints.
constexpr const char* kHeadMenuHint = "Right click: switch the head off, hold or multiply it.";

// Opens it at the mouse.
void open_head_menu(Ui& ui, const LayerHead& place);

// Opens it in the next frame beside the selected head.
void ask_for_head_menu(Ui& ui);
// Called by whoever draws the selected head, with the place of its picture.
void answer_head_menu(Ui& ui, const LayerHead& place, const Rect& picture);

// Once a frame, after the panels: the open menu, and what was picked of it.
void draw_head_menu(Ui& ui);

}  // namespace headscope::ui
