// The places of the small pictures of all layers and heads. Pure: sizes in, places out.
#pragma once

#include <cstdint>

#include "app/ui/ui.h"

namespace headscope::ui {

struct LayersLayout {
  std::int64_t columns = 1, rows = 1;
  float tile = 0, gap = 0;    // side of a picture, and space between two, in device pixels
  float left = 0, label = 0;  // width of the strip of layers; height of the line above each picture when they are
                              // sorted
  float content_height = 0;
  bool scrolls = false;

  // Of picture number `index`, from the top left of the pictures' area (the strip is left of 0).
  Rect place(std::int64_t index) const;
};

// A row for every layer and a column for every head, or, `sorted`, one picture after the other with a line above each.
// Pictures are as large as fits, 22 to 132 px; when they do not fit, the area scrolls.
LayersLayout layers_layout(float width, float height, std::int64_t layers, std::int64_t heads, bool sorted,
                           float scale);

}  // namespace headscope::ui
