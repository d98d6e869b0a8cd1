// The brush of the mask editor: a drag paints the cells that it passes over.
#pragma once

#include <optional>

#include "app/ui/map/cell_grid.h"
#include "app/ui/ui.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/mask_paint.h"

namespace headscope::ui {

// What painting does to the cells that it touches, whatever they are.
enum class MaskPaints { hide, show, erase };  // erase: the painted cells go, and the mask is as its terms say

// A stroke while the mouse button is held.
struct BrushStroke {
  MaskStroke passed;
  MaskPaints paints = MaskPaints::hide;
  Cell last;  // the cell that the mouse was over
};

// What the mask is painted with.
struct MaskTools {
  MaskPaints paints = MaskPaints::hide;
  bool freely = false;                // the brush; false: rectangles
  std::int64_t brush_side = 1;        // cells along a side of the brush
  std::optional<BrushStroke> stroke;  // that goes on; nullopt: none
};

// Whether the editor paints with the brush; false: with rectangles.
bool paints_freely(const Ui& ui);
// What the chosen segment does.
MaskPaints mask_paints(const Ui& ui);

// The colour of a stroke or frame that paints so.
Rgba paint_color(const Ui& ui, MaskPaints paints);

// The tools, cut off the right of `controls`, in a row at `y`: hide, show or erase, rectangle or brush, the brush's
// size.
void draw_mask_tools(Ui& ui, Rect& controls, float y);

// The cell nearest to a point.
Cell nearest_cell(const CellGrid& grid, ImVec2 at);

// The matrix that is painted; only its first `keys` columns can be painted.
struct PaintedGrid {
  const CellGrid& grid;
  std::int64_t keys = 0;
};

// Follows the mouse while its button is held and draws the stroke; returns the stroke in the frame in which it ends,
// else nullopt.
std::optional<BrushStroke> read_brush(Ui& ui, const PaintedGrid& on, const Interaction& mouse);

// A stroke of one dab of the brush, at a cell.
BrushStroke dab_at(const Ui& ui, const PaintedGrid& on, Cell at);

}  // namespace headscope::ui
