// The grid's pictures, a head each, and what names their rows and columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "app/ui/layers/layers_layout.h"
#include "app/ui/layers/layers_panel.h"

namespace headscope::ui {

struct LayersGrid {
  const LayersShown& shown;
  LayersLayout layout;
  Rect area;           // of the pictures that are seen
  float scrolled = 0;  // pixels
  bool sorted = false;

  // Of picture number `index`, on screen.
  Rect place(std::int64_t index) const {
    const Rect at = layout.place(index);
    const ImVec2 origin{area.min.x, area.min.y - scrolled};
    return {{origin.x + at.min.x, origin.y + at.min.y}, {origin.x + at.max.x, origin.y + at.max.y}};
  }
  // Of the picture of a head; -1: there is none.
  std::int64_t index_of(std::int64_t layer, std::int64_t head) const {
    const auto found = std::find(shown.order.begin(), shown.order.end(), LayerHead{layer, head});
    return found == shown.order.end() ? -1 : found - shown.order.begin();
  }
};

// The control's name.
std::string tile_name(const LayerHead& at);

// Picture number `index`: dimmed when the head does not pass the filter, framed when it is picked, crossed when it is
// off; above it layer, head and metric where the heads are sorted.
void draw_tile(Ui& ui, const LayersGrid& grid, std::int64_t index, const Rect& place);

// The numbers of the heads above their columns.
void draw_head_numbers(Ui& ui, const LayersGrid& grid, const Rect& line);

// One layer of the strip: its number and the mean entropy of its heads in bits, as a number and as a bar whose end is
// `most`.
void draw_layer_strip(Ui& ui, const LayersGrid& grid, std::int64_t layer, const Rect& line, double most);

}  // namespace headscope::ui
