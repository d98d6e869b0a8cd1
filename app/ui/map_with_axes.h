// A heatmap with its tokens along both axes and its colour bar: what views with few large maps draw.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/heatmap_view.h"
#include "app/ui/ui.h"

namespace headscope::ui {

struct MapAxes {
  const std::vector<std::string>& rows;
  const std::vector<std::string>& columns;  // empty: features, named by their numbers
  bool keys = true;                         // columns are keys
};

struct DrawnMap {
  float bottom = 0;        // the y below the picture
  std::optional<Cell> at;  // under the mouse, else picked; inside of the matrix
};

// In `area`, labels and colour bar included, the picture at most `most_height` high with them. `picked`: cells of it
// can be picked and hovered as those of the trace on screen. `marked`: a cell that is pointed at elsewhere.
DrawnMap draw_map_with_axes(Ui& ui, const std::string& name, HeatmapView& view, const MapAxes& axes, const Rect& area,
                            float most_height, bool picked, const std::optional<Cell>& marked = std::nullopt);

// The line under a map: `numbers` in bold at the right, the place, and the two tokens in their colours.
void draw_map_readout(Ui& ui, const Rect& box, const MapAxes& axes, const std::optional<Cell>& at,
                      const std::string& numbers);

}  // namespace headscope::ui
