// A heatmap with its tokens along both axes and its colour bar: what views with few large maps draw.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/map/heatmap_view.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// What several maps share so that their cells are equal: room around each in pixels, and the most cells that one of
// them has; 0: what this one needs.
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
  std::optional<Cell> at;  // under the mouse, else picked; inside of the matrix
};

// In `area`, labels and colour bar included, the picture at most `most_height` high with them. `picked`: cells of it
// can be picked and hovered as those of the trace on screen. `marked`: a cell that is pointed at elsewhere.
DrawnMap draw_map_with_axes(Ui& ui, const std::string& name, HeatmapView& view, const MapAxes& axes, const Rect& area,
                            float most_height, bool picked, const std::optional<Cell>& marked = std::nullopt);

// The box under a map in which one reads a cell, and the line within it. While nobody points at a cell the box says so
// itself, and the line is taken.
Rect readout_line(Ui& ui, const Rect& box, bool points);

// The line under a map: `numbers` in bold at the right, the place, and the two tokens in their colours.
void draw_map_readout(Ui& ui, const Rect& box, const MapAxes& axes, const std::optional<Cell>& at,
                      const std::string& numbers);

}  // namespace headscope::ui
