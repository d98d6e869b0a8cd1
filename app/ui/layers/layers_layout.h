// Where the small pictures of all layers and heads lie. Pure: sizes in, places out.
#pragma once

#include <cstdint>

#include "app/ui/ui.h"

namespace headscope::ui {

struct LayersLayout {
  std::int64_t columns = 1, rows = 1;
  float tile = 0, gap = 0;    // sides of a picture, and between two, in device pixels
  float left = 0, label = 0;  // of the layers' strip; of the line above each picture when they are sorted
  float content_height = 0;
  bool scrolls = false;

  // Of picture number `index`, from the top left of the pictures' area (the strip is left of 0).
  Rect place(std::int64_t index) const;
};

// A row for every layer and a column for every head, or, `sorted`, one after the other with a line above each. As large
// as fits, at most 132 and at least 22 px; what does not fit scrolls.
LayersLayout layers_layout(float width, float height, std::int64_t layers, std::int64_t heads, bool sorted,
                           float scale);

}  // namespace headscope::ui
