// The places of the small pictures of all layers and heads. Pure: sizes in, places out.
#pragma once

#include <cstdint>

#include "app/ui/ui.h"

namespace headscope::ui {

struct LayersLayout {
  std::int64_t columns = 1, rows = 1;
  float tile = 0, gap = 0;    // side of a picture, and space between two, in device pixels
  float left = 0, label = 0;  // width of the strip of layers; height of the line above each picture, 0: none
  float content_height = 0;
  bool scrolls = false;

  // Of picture number `index`, from the top left of the pictures' area (the strip is left of 0).
  Rect place(std::int64_t index) const;
};

// A row for every layer and a column for every head; of few layers with many heads two or more rows a layer, all of
// them full, with a line above each picture. Or, `sorted`, one picture after the other with such a line. Pictures are
// as large as fits, 22 to 480 px; when they do not fit, the area scrolls.
LayersLayout layers_layout(float width, float height, std::int64_t layers, std::int64_t heads, bool sorted,
                           float scale);

}  // namespace headscope::ui
