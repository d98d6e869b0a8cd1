// Rings around the cells that are linked to the one under the mouse, or to the picked one; the same on every picture.
#pragma once

#include <vector>

#include "app/ui/map/cell_grid.h"
#include "app/ui/map/cell_places.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// Draws the rings on the picture of stage[batch, slice] that `grid` shows. The hovered or picked cell itself is marked
// by other functions.
void draw_linked(Ui& ui, PanelData& data, StageId stage, std::int64_t batch, std::int64_t slice, const CellGrid& grid);

// Draws one ring, in the colour of its role: query, key, value, else white.
void draw_linked_range(Ui& ui, StageId stage, const CellRange& range, const Rect& rect);

// The stages whose cards are highlighted: those with linked cells; when the cell is only picked, just those before its
// own stage.
std::vector<StageId> linked_stages(Ui& ui, PanelData& data);

// The tokens whose chips are marked: those of the cell under the mouse, else of another hovered place, else of the
// picked cell.
TokenPair marked_tokens(Ui& ui);

}  // namespace headscope::ui
