// One head of the grid: its picture with the line above it, mouse and keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/heads/heads_layout.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"
#include "core/request/interventions.h"

namespace headscope::ui {

constexpr float kHeadLabel = 22;  // height of the line above a picture, at scale 1

// The grid in this frame.
struct HeadsGrid {
  PanelData& data;
  Selection selection;
  HeadPlaces layout;
  Rect area;  // of the pictures, without gutter and legend
  std::int64_t rows = 0, columns = 0;
  bool large = false;          // drawn from tiles
  bool in_strip = false;       // its name stands below, and a click picks the head alone
  bool computed = true;        // the cells are those of the trace, which can be picked and edited
  std::vector<LargeMap> seen;  // the large maps that were drawn in this frame

  // The cells of the picture whose corner is at `at`.
  CellGrid cells_at(ImVec2 at) const {
    return large ? fitted_map({at, layout.width, layout.height}, rows, columns, true)
                 : fitted_square(at, layout.width, layout.height, rows, columns);
  }
};

// The control's name.
std::string head_name(std::int64_t head);

// What is said of a head that does not do what it learned: "off: context = 0"; nullopt of one that does.
std::optional<std::string> changed_words(const Ui& ui, const LayerHead& place);

// Picks the head, and what its maps show.
void choose_head(Ui& ui, const HeadsGrid& grid, std::int64_t head);

// What is drawn of a head whose picture's corner is at `at`; asks for the tiles of a large one.
HeatmapView head_view(Ui& ui, HeadsGrid& grid, std::int64_t head, ImVec2 at);

// The picture with its corner at `at`; its line lies above. A click picks the head and the cell.
void draw_thumbnail(Ui& ui, HeadsGrid& grid, std::int64_t head, ImVec2 at);

// Of the selected head, while it has the focus: arrows walk through the heads, Enter goes on to the large picture, X
// switches the head off and on.
void read_head_keys(Ui& ui, HeadsGrid& grid);

}  // namespace headscope::ui
