// The map of a stop as it stands on paper. Internal to core/handout.
#pragma once

#include "core/base/cancel.h"
#include "core/handout/found_stop.h"
#include "core/picture/figure/figure_plan.h"
#include "core/tensor/shape.h"

namespace headscope {

// Lengths are tenths of a millimetre, as on the pages.
struct PaperRoom {
  int width = 0, height = 0;
};

struct StopMap {
  FigurePlan plan;      // not larger than its room; the map with its words, its colour bar, and a ring around the cell
  Range rows, columns;  // that are drawn
  bool whole = true;    // else the part around the picked cell, or from the first word on
  bool numbered = false;  // its cells hold numbers
  bool hatched = false;   // some of its cells are hidden
};

// The map as large as the room allows, with a word at every row and column: in smaller letters where there are many,
// and where even the smallest have no room, a part of the map. Throws Cancelled.
StopMap stop_map(const FoundStop& stop, const PaperRoom& room, const CancelToken& cancel = {});

}  // namespace headscope
