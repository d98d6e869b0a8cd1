// The places of a matrix's cells on the screen: fitting, zooming at a point, panning. Pure geometry.
#pragma once

#include <cstdint>
#include <optional>

#include "app/session/view_state.h"
#include "app/ui/ui.h"
#include "core/backend/pyramid.h"

namespace headscope::ui {

// From this size on a fitted cell is a whole number of pixels; smaller ones share the room evenly.
constexpr double kWholeFrom = 3;

// The visible part of a [rows, columns] matrix in a rectangle of whole pixels. Cells of kWholeFrom pixels or more, and
// all cells of one pixel or more in a zoomed picture, are a whole number of pixels wide and high, and start on whole
// pixels. Smaller ones are spread over all of the room: a pixel shows the cell under its centre.
struct CellGrid {
  Rect area{};                             // covered by the picture
  std::int64_t rows = 0, columns = 0;      // of the matrix
  double row0 = 0, column0 = 0;            // the cell at the area's top left corner
  double cell_width = 0, cell_height = 0;  // pixels
  // For a large map with less than one pixel a cell: the picture has pixels of `pooled` cells. Zoomed, each is one
  // pixel of the screen; the fitted picture is spread over all of the room.
  bool whole_pixels = false;
  PixelCells pooled;

  double visible_rows() const { return cell_height > 0 ? area.height() / cell_height : 0; }
  double visible_columns() const { return cell_width > 0 ? area.width() / cell_width : 0; }
  bool empty() const { return rows <= 0 || columns <= 0 || area.width() < 1 || area.height() < 1; }
  // Cells in a pixel of a large map's picture; 1 when a cell has one pixel or more.
  PixelCells pixel_cells() const { return pooled; }
  // The cells that are at least partly visible: [begin, end).
  Range row_range() const;
  Range column_range() const;
  // The cell under a point; nullopt outside the area.
  std::optional<Cell> cell_at(ImVec2 point) const;
  // The rectangle of a cell, on whole pixels, cut to the area; at least one pixel in each direction while visible.
  Rect cell_rect(std::int64_t row, std::int64_t column) const;
  Rect row_rect(std::int64_t row) const;        // across the area
  Rect column_rect(std::int64_t column) const;  // down the area
};

// Square cells, the largest of whole pixels that fit into width x height; below kWholeFrom, fractions that fill it.
// When the short side of the matrix would have less than `shortest` pixels, cells are stretched along it.
CellGrid fitted_square(ImVec2 top_left, float width, float height, std::int64_t rows, std::int64_t columns,
                       float shortest = 24);

// The first rows and columns of a fitted grid: cells of the same size, in an area of their own (on whole pixels).
CellGrid first_cells(CellGrid grid, std::int64_t rows, std::int64_t columns);

// Fits both sides independently, for vectors side by side: columns fill the width; rows are whole pixels and at most
// `tallest` high.
CellGrid fitted_oblong(ImVec2 top_left, float width, float height, std::int64_t rows, std::int64_t columns,
                       float tallest);

// Where a picture may lie: pixels.
struct MapRoom {
  ImVec2 top_left{0, 0};
  float width = 0, height = 0;
};

// The same for a map that is drawn from tiles: below one pixel a cell, a pixel of its picture holds cells_a_pixel()
// cells, so that its value is exact. `square`: as fitted_square; else each side independently, rows at most `tallest`
// high.
CellGrid fitted_map(const MapRoom& room, std::int64_t rows, std::int64_t columns, bool square, float tallest = 26,
                    float shortest = 24);

// The fitted grid with a viewport applied: the same area, larger cells. An unusable viewport counts as fitted.
CellGrid grid_of(const CellGrid& fitted, const Viewport& viewport);

// The viewport after zooming by `steps` (1: cells 1.25 times as large, -1: the reverse, at least a pixel); the matrix
// stays in place at the point `anchor`. The narrower side of the cells grows first. {} when the whole matrix is visible
// again. On a large map with less than one pixel a cell, a step halves or doubles the cells in a pixel.
Viewport zoomed(const CellGrid& fitted, const Viewport& viewport, double steps, ImVec2 anchor, double largest_cell);

// The viewport after dragging the picture by `pixels`.
Viewport panned(const CellGrid& fitted, const Viewport& viewport, ImVec2 pixels);

// The viewport moved as little as possible so that all of `cell` is inside.
Viewport showing(const CellGrid& fitted, const Viewport& viewport, Cell cell);

}  // namespace headscope::ui
