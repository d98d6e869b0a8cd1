// Marks on a map: frames around the cells that differ, and along its sides the rows and columns that hold one. Internal
// to core/picture.
#pragma once

#include <cstdint>
#include <vector>

#include "core/diagnose/stage_sides.h"
#include "core/picture/figure/figure_sheet.h"

namespace headscope {

// How far the marks reach beyond the right and the lower side of a map, in pixels.
int marks_room(const Sheet& sheet);

// Marks the cells of a map at (x, y). Returns whether there are frames: where cells are small, or would need too many
// of them, the marks along the sides are all.
bool mark_wrong_cells(Sheet& sheet, const WrongCells& wrong, int x, int y, const MapSize& size);

// Numbers in a row, 0 to count - 1: heads, batch items.
struct MarkedNumbers {
  const char* words;  // before them
  const std::vector<std::int64_t>& wrong;
  std::int64_t count = 0, shown = -1;  // the one in the picture is framed; -1: none
};
// Draws them at `y`, those that are wrong in their colour; returns the height, 0 where there is nothing to tell or no
// room in `width`.
int mark_numbers(Sheet& sheet, const MarkedNumbers& numbers, int y, int width);

}  // namespace headscope
