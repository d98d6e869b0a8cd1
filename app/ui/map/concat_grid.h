// The places of the cells of concat: a band for each head, with gaps between. Pure geometry.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/ui/map/cell_grid.h"

namespace headscope::ui {

struct ConcatGrid {
  std::vector<CellGrid> bands;     // side by side; a single band when features are not divided by head
  std::int64_t band_features = 0;  // features in a band
  Rect area{};                     // around all bands

  // (row, feature) under a point; nullopt in the gaps and outside.
  std::optional<Cell> cell_at(ImVec2 point) const;
  // The rectangle of features [from, to) of a row; within one band.
  Rect features_rect(std::int64_t row, std::int64_t from, std::int64_t to) const;
};

// `bands` bands of features / bands features in `room`; rows are whole pixels from one pixel on. Gaps are 4, 1
// or 0 px wide at 1x, depending on the space.
ConcatGrid concat_grid(const MapRoom& room, std::int64_t rows, std::int64_t features, std::int64_t bands, float scale);

}  // namespace headscope::ui
