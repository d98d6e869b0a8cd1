// The border between two panels, which moves.
#pragma once

#include <string>

#include "app/ui/ui.h"

namespace headscope::ui {

// Sizes in pixels at 1x.
struct PanelBorder {
  bool vertical = true;     // the line between panels that lie side by side
  float low = 0, high = 0;  // of the size that it changes
  float direction = 1;      // 1: the size grows with the place of the line; -1: it shrinks
  float usual = 0;          // what a double click and Del set
};

// Drags `size`; with the focus arrows move it by 8, with Shift by 40, Home and End to its ends, Del to its usual place.
// True when it changed.
bool panel_border(Ui& ui, const std::string& name, const Rect& rect, float& size, const PanelBorder& border);

}  // namespace headscope::ui
