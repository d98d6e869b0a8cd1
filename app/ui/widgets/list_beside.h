// The list beside a line of an open list.
#pragma once

#include <string>

#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

struct ListBeside {
  const std::string& name;  // of the open list
  const MenuLine& opened;   // the line whose inner lines are shown
  Rect outer, line;         // the open list, and that line in it
  Type type;
  bool enter = false;  // picks the marked line
};

struct BesideFrame {
  Rect box;
  int picked = -1;  // index of the inner line that was picked in this frame
};

// Draws it right of the open list, or left where there is no room. Takes Up, Down, Home and End, and the mouse.
BesideFrame draw_list_beside(Ui& ui, const ListBeside& list);

}  // namespace headscope::ui
