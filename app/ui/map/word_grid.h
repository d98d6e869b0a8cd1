// A grid of cells with words on them, rows and columns named: what a model would say after each layer, what a patch
// changes. For matrices of few rows whose cells are read one by one; only those in sight are drawn.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "app/session/view_state.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// What stands in a cell: its colour, and one or two lines, the second only where there is room.
struct WordCell {
  Rgba ground;
  std::string first, second;
};

struct WordGrid {
  std::string name;       // the control, "lens/grid"
  std::string cell_name;  // its cells in the probe: "lens/cell/" and "row,column"
  std::int64_t rows = 0, columns = 0;
  std::optional<Cell> picked;  // framed
  std::function<WordCell(std::int64_t row, std::int64_t column)> cell;
  // Draws a cell instead; the cells are square then. Empty: cells of words.
  std::function<void(std::int64_t row, std::int64_t column, const Rect& place)> picture;
  std::function<std::string(std::int64_t)> row_name, column_name;
  Rgba column_color;  // of the columns' names
  float gutter = 84;  // at 1x: of the rows' names
};

// What mouse and keys did in this frame.
struct WordGridInput {
  float bottom = 0;             // the y below the cells and their scroll bar
  Rect cells;                   // those in sight
  std::optional<Cell> hovered;  // under the mouse
  std::optional<Cell> moved;    // picked by a click, an arrow, Home or End
  std::optional<Cell> opened;   // by Enter or a double click
};

// Draws the grid into `area`: names at the left and above, cells as large as fit between limits, scrolled both ways
// where they do not, and into the sight of the picked cell when another one was picked.
WordGridInput draw_word_grid(Ui& ui, const WordGrid& grid, const Rect& area);

}  // namespace headscope::ui
