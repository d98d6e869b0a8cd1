// The menu of one head: switch it off, freeze its weights, multiply its query or key. A right click on the head opens
// it; Ctrl+H opens it for the selected head.
#pragma once

#include "app/ui/ui.h"
#include "core/request/request.h"

namespace headscope::ui {

struct HeadMenuState {
  LayerHead place;     // the head of the open menu
  ImVec2 at;           // the menu's corner
  bool asked = false;  // it opens in the next frame
};

// Says what a right click on a head does, for tooltips and hints.
constexpr const char* kHeadMenuHint = "Right click: switch the head off, hold or multiply it.";

// Opens the menu at the mouse.
void open_head_menu(Ui& ui, const LayerHead& place);

// Opens the menu in the next frame beside the selected head.
void ask_for_head_menu(Ui& ui);
// Called by the panel that draws the selected head, with the place of its picture.
void answer_head_menu(Ui& ui, const LayerHead& place, const Rect& picture);

// Called once a frame, after the panels: draws the open menu and executes the picked line.
void draw_head_menu(Ui& ui);

}  // namespace headscope::ui
