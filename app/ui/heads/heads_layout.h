// The places of the thumbnails of heads. Pure geometry, in device pixels.
#pragma once

#include <cstdint>

#include "app/ui/map/cell_grid.h"

namespace headscope::ui {

struct HeadPlaces {
  int columns = 1;              // thumbnails beside each other
  float width = 0, height = 0;  // of a thumbnail's picture
  float gap = 0;                // between thumbnails
  float row_pitch = 0;          // from one row of thumbnails to the next
  float content_height = 0;     // all rows
  bool scrolls = false;
  // Top left corner of a head's picture, from the top left of the grid.
  ImVec2 position(std::int64_t head, float label_height) const;
};

// The grid in width x height, with as many columns as make the cells largest; nearly as large ones are preferred where
// they leave fewer places of the last row empty. When a thumbnail would be smaller than 72 px, the grid scrolls: it
// then has as many columns of 72 px or more as fill the rows evenly.
HeadPlaces heads_layout(float width, float height, std::int64_t heads, std::int64_t rows, std::int64_t columns,
                        float scale);

}  // namespace headscope::ui
