// Rings around the cells that belong to the one under the mouse, or to the picked one; the same on every picture.
#pragma once

#include <vector>

#include "app/ui/map/cell_grid.h"
#include "app/ui/map/cell_places.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// On the picture of stage[batch, slice] that `grid` shows; the cell itself has its own marks.
void draw_linked(Ui& ui, PanelData& data, StageId stage, std::int64_t batch, std::int64_t slice, const CellGrid& grid);

// One ring, in the colour of what it is a row or column of: query, key, value, else white.
void draw_linked_range(Ui& ui, StageId stage, const CellRange& range, const Rect& rect);

// The stages whose cards light: those that the linked cells lie in, before the cell's own while it is only picked.
std::vector<StageId> linked_stages(Ui& ui, PanelData& data);

// Which tokens' chips are marked: of the cell under the mouse, of what else is hovered, of the picked cell.
TokenPair marked_tokens(Ui& ui);

}  // namespace headscope::ui
