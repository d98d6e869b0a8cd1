// Names along the axes of a heatmap: which cells are named, and drawing the names beside and above it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/ui/map/cell_grid.h"
#include "app/ui/ui.h"
#include "app/ui/widgets/words.h"

namespace headscope::ui {

struct AxisLabel {
  std::int64_t index = 0;
  double center = 0;   // pixels from the beginning of the axis
  bool named = true;   // true: its word; false: its index, because there is no room for every word
  bool boxed = false;  // the marked label when not every cell is named
  friend bool operator==(const AxisLabel&, const AxisLabel&) = default;
};

struct AxisLabelSpec {
  double start = 0, cell = 0, extent = 0;  // first visible cell, pixels a cell, pixels of the axis
  std::int64_t count = 0;                  // cells of the axis
  double every_cell_from = 11;             // least pixels a cell with which every cell is named
  double spacing = 22;                     // least distance in pixels between thinned labels
  double boxed_spacing = 22;               // and between a thinned and the boxed label
  bool powers_of_two = false;              // steps of indices: 1, 2, 4, 8 ... instead of 1, 2, 5, 10 ...
  std::int64_t marked = -1;                // a cell that is always named; -1: none
};

// Names every visible cell while there is room; else every 1st, 2nd, 5th, 10th ... by its index, and the marked one in
// a box, without labels too close to it. In increasing order.
std::vector<AxisLabel> axis_labels(const AxisLabelSpec& spec);

// Right-aligned names in a gutter at the left of the picture; row `marked` in `mark_color`. `labels` may be empty: then
// indices are shown, thinned by powers of two.
void draw_row_labels(Ui& ui, const Rect& gutter, const CellGrid& grid, const std::vector<std::string>& labels,
                     std::int64_t marked, Rgba mark_color);
// The same without thinned indices: when cells are too low for text only the marked row is named.
void draw_named_row_labels(Ui& ui, const Rect& gutter, const CellGrid& grid, const std::vector<std::string>& labels,
                           std::int64_t marked, Rgba mark_color);

// Names above the picture, turned 90 degrees (indices lie flat), within `above`, whose lower edge is the top of the
// picture.
void draw_column_labels(Ui& ui, const Rect& above, const CellGrid& grid, const std::vector<std::string>& labels,
                        std::int64_t marked, Rgba mark_color);

// The width in pixels of the widest of `labels`, at most `longest`: the height of column labels.
float labels_extent(Ui& ui, const std::vector<std::string>& labels, float longest);

// The text cut to `width` pixels with an ellipsis, on a grapheme boundary.
std::string shortened_to(Ui& ui, Type type, const Words& words, float width);

}  // namespace headscope::ui
