// The ends of the colours' range as handles on the histogram of the slice.
#pragma once

#include <vector>

#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/widgets/widgets.h"
#include "core/tensor/statistics.h"

namespace headscope::ui {

// Both handles in this frame: those of low and high, in this order.
struct RangeHandles {
  struct Handle {
    float x = 0;
    Rect reach;
    Interaction mouse;
  };
  std::vector<Handle> shown;  // empty: the range has no handles
  bool hovered = false;
};

// Sets the range of the view: by the mouse over the handles on `plot`, and by keys while one has the focus (arrows: a
// hundredth of the histogram, Page Up and Page Down: a tenth, Home and End: its ends, Enter: back to what the numbers
// ask for, as a double click does).
RangeHandles read_range_handles(Ui& ui, const Inspected& inspected, const Histogram& histogram, const Rect& plot);
// Draws them over the bars.
void draw_range_handles(Ui& ui, const RangeHandles& handles, const Rect& plot);

// Buttons at the right end of `line`: fit the range to most of the numbers, and back to all of them.
void draw_range_buttons(Ui& ui, const Inspected& inspected, const Rect& line);

}  // namespace headscope::ui
