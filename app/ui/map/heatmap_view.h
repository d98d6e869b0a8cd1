// One heatmap on screen: its texture, the numbers in its cells, frames, and mouse input.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/map/cell_grid.h"
#include "app/ui/map/cell_labels.h"
#include "app/ui/map/map_view.h"
#include "app/ui/ui.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/heatmap.h"

namespace headscope::ui {

struct HeatmapView : HeatmapCells {
  bool small_numbers = false;  // 10 px type, for thumbnails
};

// Draws the picture and, from 24 px a cell, the numbers of the visible cells: in black or white, whichever is legible.
// A hidden cell has no number, unless its weight is not zero (a fully masked row with a finite fill). All numbers have
// the same unit of the last digit (core/picture/cell_numbers.h).
void draw_heatmap_view(Ui& ui, const HeatmapView& view);

// 1 px frames of the hovered row and column in query and key colour (those of the dark theme, because they are drawn
// over data).
void draw_crosshair(Ui& ui, const CellGrid& grid, std::int64_t row, std::int64_t column);

// 2 px white between two 1 px black lines, around `rect`.
void draw_pick_frame(Ui& ui, const Rect& rect, const Rect& clip);

// 1.5 px ring over 1 px black: a cell that is linked to one hovered in another picture.
void draw_link_ring(Ui& ui, const Rect& rect, Rgba color = {255, 255, 255, 255});

// The value range of a row's scale; nullopt when the whole row has one colour.
std::optional<ValueRange> range_of(const ValueScale& scale);

// What a legend says of cells without a number; "" where cells are too small for numbers.
std::string words_of_blanks(const Ui& ui, const CellGrid& grid);

// Call it where a panel draws these words: the status bar then leaves them out.
void say_blanks(Ui& ui);

// Whether a map of this frame left cells blank and no panel said what that means. Call it once, behind all panels.
bool take_unsaid_blanks(Ui& ui);

// The cell that the pixel under a point shows: of several cells the one with the largest absolute value (NaN first), as
// in the picture. nullopt outside of the picture.
std::optional<Cell> shown_cell(Ui& ui, const HeatmapView& view, ImVec2 point);

// The mouse and key input of a heatmap in this frame.
struct HeatmapInput {
  bool focused = false, hovering = false;
  std::optional<Cell> hovered, clicked;
  bool double_clicked = false;
};

// In heatmap_input.cpp. Reads mouse and keys. For a large map, then requests the picture of the visible part with order
// 0. Wheel, +, -: zoom at the cursor (keys: at the picked cell); drag: pan; Home: fit; arrows: move `picked` and keep
// it visible (when no cell is picked, the first arrow picks the visible cell in the middle). `viewport` null: the
// picture cannot be zoomed. `picked` null: keys cannot pick. view.grid is set to the part that is visible after zooming
// and panning.
HeatmapInput heatmap_input(Ui& ui, const std::string& name, HeatmapView& view, const CellGrid& fitted,
                           Viewport* viewport, std::optional<Cell>* picked);

// The step of the arrow key pressed in this frame, removed from the input; nullopt when none was pressed.
std::optional<Cell> take_arrow(Ui& ui);

}  // namespace headscope::ui
