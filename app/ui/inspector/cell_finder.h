// A line above the large picture that goes from cell to cell by a condition: "> 0.9", "nan", "row max".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/ui/inspector/inspector_parts.h"

namespace headscope::ui {

// What the line remembers.
struct CellFinder {
  bool open = false;
  std::string text;
  std::optional<Cell> at;   // the match that was gone to
  std::int64_t number = 0;  // its number among all, from 0
  bool reveal = false;      // the picture moves so that the picked cell is inside
};

// Opens the line and gives it the focus; shows the inspector.
void open_cell_finder(Ui& ui);

// Draws it while it is open. Enter goes to the next match, Shift+Enter to the one before, Esc closes.
void draw_cell_finder(Ui& ui, Inspected& inspected, const Rect& line);

}  // namespace headscope::ui
