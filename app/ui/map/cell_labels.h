// The numbers in the cells of a heatmap on screen: what is written in which cell.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/view_state.h"
#include "app/ui/map/cell_grid.h"
#include "app/ui/map/map_view.h"
#include "app/ui/ui.h"
#include "core/picture/cell_numbers.h"
#include "core/picture/heatmap.h"
#include "core/picture/palette.h"

namespace headscope::ui {

// What the cells of a heatmap on screen show, and where they lie.
struct HeatmapCells {
  CellGrid grid;
  Tensor matrix;                     // [rows, columns]
  std::shared_ptr<const Mask> mask;  // null: nothing hidden
  std::int64_t batch = 0, head = 0;  // which slice of the mask
  ColorMap map = ColorMap::viridis;
  ValueRange range;
  const std::vector<ValueScale>* row_scale = nullptr;  // of every row, when range.per_row
  bool weight_like = true;                             // numbers from 0 to 1, which decides their decimals
  std::optional<LargeMap> large;                       // a map drawn from tiles: only single cells are read
};

// Letters of one width, in pixels.
struct CellLetters {
  float height = 0, advance = 0;
  float smallest = 0;  // the least height
  float room = 0;      // of a cell, for letters side by side
};

// The number of one cell.
struct CellLabel {
  Cell cell;
  ImVec2 middle{0, 0};  // of the whole cell
  std::string text;
  Rgba ground;          // the cell's colour
  bool hidden = false;  // a cell that the mask hides, and that weighs something all the same
};

// The numbers in sight, all written alike, and the size of their letters.
struct CellLabels {
  CellNumbers numbers;
  float height = 0, advance = 0;
  std::vector<CellLabel> labels;
  bool blank = false;  // whether a cell has no number because it is below half a unit of the last digit
};

// Says the numbers of the cells in sight: none for hidden cells, for marks, and for cells whose number the edge of the
// picture would cut. Of a large map none until its picture is there. Reads the cells.
CellLabels cell_labels(const HeatmapCells& view, const CellLetters& type);

}  // namespace headscope::ui
