// A heatmap with its tokens along both axes and its colour bar, for views with a few large maps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/map/heatmap_view.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// Shared by several maps so that their cells have the same size: the space around each in pixels, and the most rows and
// columns of one of them; 0: as this map needs.
struct MapMargins {
  float left = 0, above = 0, bar = 0;  // row labels, column labels, the colour bar with its numbers
  std::int64_t rows = 0, columns = 0;
};

struct MapAxes {
  const std::vector<std::string>& rows;
  const std::vector<std::string>& columns;  // empty: features, named by their numbers
  bool keys = true;                         // columns are keys
  MapMargins margins = {};
};

struct DrawnMap {
  float bottom = 0;        // the y below the picture
  std::optional<Cell> at;  // the cell under the mouse, else the picked one, inside of the matrix; nullopt: none
};

// Where a map is drawn, labels and colour bar included.
struct MapPlace {
  Rect area;
  float most_height = 0;  // pixels
};

// Which of its cells stand out.
struct MapCells {
  bool picked = false;                        // they can be picked and hovered like those of the shown trace
  // A cell that another picture points at, with a row or column of -1 a column or row alone; nullopt: none.
  std::optional<Cell> marked = std::nullopt;
};

DrawnMap draw_map_with_axes(Ui& ui, const std::string& name, HeatmapView& view, const MapAxes& axes,
                            const MapPlace& place, const MapCells& cells);

// Draws the box under a map that shows the numbers of a cell, and returns the line inside it. When the user points at
// no cell (`points` false), the box shows a hint in that line.
Rect readout_line(Ui& ui, const Rect& box, bool points);

// The line under a map: `numbers` in bold at the right, the place, and the two tokens in their colours.
void draw_map_readout(Ui& ui, const Rect& box, const MapAxes& axes, const std::optional<Cell>& at,
                      const std::string& numbers);

}  // namespace headscope::ui
