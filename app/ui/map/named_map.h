// A heatmap whose rows and columns have names of their own, such as heads; with its words in the corner and its bar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/map/heatmap_view.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// Cells that have one name together where cells are too small for their own: "layer 3". None when `cells` is 0.
struct NameGroups {
  std::int64_t cells = 0;                        // a group
  std::int64_t first_row = 0, first_column = 0;  // number of the first group
};

struct NamedMap {
  std::string name;  // the control
  HeatmapView view;
  const std::vector<std::string>& rows;
  const std::vector<std::string>& columns;
  const char *row_word = "", *column_word = "";  // in the corner: "reads ↓", "writes →"
  NameGroups groups = {};
  std::optional<Cell> picked = std::nullopt;  // framed
  Viewport* viewport = nullptr;               // null: it cannot be zoomed
  bool row_names = true, bar = true;
};

// What was drawn, and what mouse and keys did.
struct DrawnNamedMap {
  Rect picture;
  CellGrid fitted;  // not zoomed
  HeatmapInput input;
  std::optional<Cell> at;  // hovered, else picked
};

// The width of the names of rows beside a map, with the space around them.
float row_names_width(Ui& ui, const NamedMap& map);

// Draws the map into `area`, names and bar included, with the largest square cells that fit. Arrows move nothing: the
// caller reads them (take_arrow) while input.focused.
DrawnNamedMap draw_named_map(Ui& ui, NamedMap& map, const Rect& area);

}  // namespace headscope::ui
