#include "app/ui/map/cell_grid.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/parts.h"

namespace headscope::ui {
namespace {

double fitting_side(double pixels) {
  return pixels >= kWholeFrom ? std::floor(pixels) : pixels;
}

// A position along an axis that starts on a whole pixel, inside the matrix. A last pixel of a large map may be partly
// outside.
double clamped_start(double start, double visible, double count, double cell, bool whole_pixels) {
  const double most = std::max(0.0, count - visible);
  if (cell < 1 && !whole_pixels) return std::clamp(start, 0.0, most);
  return std::clamp(std::round(start * cell), 0.0, std::ceil(most * cell - 1e-9)) / cell;
}

// Cells a pixel along an axis: a power of two, or as many as fitted.
double cells_of(double wanted, double most) {
  const double power = std::exp2(std::ceil(std::log2(std::max(1.0, wanted)) - 1e-6));
  return std::min(power, std::max(1.0, most));
}

// Cells in a pixel of a zoomed large map along an axis; of the fitted one where nothing is zoomed.
std::int64_t pooled_cells(std::int64_t of_fitted, double cell, double fitted_cell) {
  if (cell >= 1) return 1;
  return cell <= fitted_cell ? of_fitted : static_cast<std::int64_t>(std::round(1 / cell));
}

// As many cells a pixel as both axes can have, at least `cells`.
std::int64_t common_cells(std::int64_t cells, std::int64_t rows, std::int64_t columns) {
  if (cells <= 1) return 1;
  const std::int64_t base = std::int64_t{1} << std::max(base_level(rows), base_level(columns));
  if (cells >= base) return rounded_up(cells, base);
  return static_cast<std::int64_t>(cells_of(static_cast<double>(cells), static_cast<double>(base)));
}

Viewport viewport_of(const CellGrid& grid) {
  return {grid.row0, grid.column0, grid.visible_rows(), grid.visible_columns()};
}

// The same area with other cells, keeping `anchor` (pixels) over the same place of the matrix.
CellGrid rescaled(const CellGrid& grid, double cell_width, double cell_height, ImVec2 anchor) {
  const double x = anchor.x - grid.area.min.x;
  const double y = anchor.y - grid.area.min.y;
  CellGrid result = grid;
  result.cell_width = cell_width;
  result.cell_height = cell_height;
  result.column0 = clamped_start(grid.column0 + x / grid.cell_width - x / cell_width, result.visible_columns(),
                                 static_cast<double>(grid.columns), cell_width, grid.whole_pixels);
  result.row0 = clamped_start(grid.row0 + y / grid.cell_height - y / cell_height, result.visible_rows(),
                              static_cast<double>(grid.rows), cell_height, grid.whole_pixels);
  return result;
}

Range visible_range(double start, double visible, std::int64_t count) {
  const auto begin = static_cast<std::int64_t>(std::floor(start + 1e-9));
  const auto end = static_cast<std::int64_t>(std::ceil(start + visible - 1e-9));
  return {std::clamp<std::int64_t>(begin, 0, count), std::clamp<std::int64_t>(end, 0, count)};
}

// Pixels [low, high) of cell `index` along one axis, cut to [0, extent).
std::pair<float, float> span_of(std::int64_t index, double start, double cell, float extent) {
  // A pixel belongs to the cell under its centre.
  const auto first = [&](double at) { return static_cast<float>(std::ceil((at - start) * cell - 0.5 - 1e-9)); };
  float low = first(static_cast<double>(index));
  float high = first(static_cast<double>(index) + 1);
  high = std::max(high, low + 1);
  low = std::clamp(low, 0.0f, std::max(0.0f, extent - 1));
  high = std::clamp(high, low + 1, std::max(low + 1, extent));
  return {low, high};
}

// The area of all cells from the grid's corner; fractions are stretched so that it covers whole pixels.
CellGrid on_whole_pixels(CellGrid grid) {
  const auto covered = [](double side, std::int64_t count) {
    return static_cast<float>(std::max(1.0, std::round(side * static_cast<double>(count))));
  };
  grid.area.max = {grid.area.min.x + covered(grid.cell_width, grid.columns),
                   grid.area.min.y + covered(grid.cell_height, grid.rows)};
  grid.cell_width = grid.area.width() / static_cast<double>(grid.columns);
  grid.cell_height = grid.area.height() / static_cast<double>(grid.rows);
  return grid;
}

}  // namespace

Range CellGrid::row_range() const {
  return visible_range(row0, visible_rows(), rows);
}
Range CellGrid::column_range() const {
  return visible_range(column0, visible_columns(), columns);
}

std::optional<Cell> CellGrid::cell_at(ImVec2 point) const {
  if (empty() || !area.contains(point)) return std::nullopt;
  const auto under = [](double start, float at, double cell) {
    return static_cast<std::int64_t>(std::floor(start + (static_cast<double>(std::floor(at)) + 0.5) / cell));
  };
  const std::int64_t row = under(row0, point.y - area.min.y, cell_height);
  const std::int64_t column = under(column0, point.x - area.min.x, cell_width);
  return Cell{std::clamp<std::int64_t>(row, 0, rows - 1), std::clamp<std::int64_t>(column, 0, columns - 1)};
}

Rect CellGrid::cell_rect(std::int64_t row, std::int64_t column) const {
  const auto [left, right] = span_of(column, column0, cell_width, area.width());
  const auto [top, bottom] = span_of(row, row0, cell_height, area.height());
  return {{area.min.x + left, area.min.y + top}, {area.min.x + right, area.min.y + bottom}};
}

Rect CellGrid::row_rect(std::int64_t row) const {
  const auto [top, bottom] = span_of(row, row0, cell_height, area.height());
  return {{area.min.x, area.min.y + top}, {area.max.x, area.min.y + bottom}};
}

Rect CellGrid::column_rect(std::int64_t column) const {
  const auto [left, right] = span_of(column, column0, cell_width, area.width());
  return {{area.min.x + left, area.min.y}, {area.min.x + right, area.max.y}};
}

CellGrid fitted_square(ImVec2 top_left, float width, float height, std::int64_t rows, std::int64_t columns,
                       float shortest) {
  CellGrid grid;
  grid.rows = rows;
  grid.columns = columns;
  grid.area = {top_left, top_left};
  if (rows <= 0 || columns <= 0 || width < 1 || height < 1) return grid;
  const double cell = fitting_side(std::min(static_cast<double>(width) / static_cast<double>(columns),
                                            static_cast<double>(height) / static_cast<double>(rows)));
  grid.cell_width = grid.cell_height = cell;
  const auto oblong = [&](std::int64_t count, double extent, double& side) {
    if (side * static_cast<double>(count) >= std::min<double>(shortest, extent)) return;
    side = std::max(side, fitting_side(std::min<double>(shortest, extent) / static_cast<double>(count)));
  };
  oblong(rows, height, grid.cell_height);
  oblong(columns, width, grid.cell_width);
  return on_whole_pixels(grid);
}

CellGrid first_cells(CellGrid grid, std::int64_t rows, std::int64_t columns) {
  if (grid.empty() || (rows == grid.rows && columns == grid.columns)) return grid;
  grid.rows = rows;
  grid.columns = columns;
  return on_whole_pixels(grid);
}

CellGrid fitted_oblong(ImVec2 top_left, float width, float height, std::int64_t rows, std::int64_t columns,
                       float tallest) {
  CellGrid grid;
  grid.rows = rows;
  grid.columns = columns;
  grid.area = {top_left, top_left};
  if (rows <= 0 || columns <= 0 || width < 1 || height < 1) return grid;
  const double tall = fitting_side(std::min<double>(tallest, static_cast<double>(height) / static_cast<double>(rows)));
  const float covered = static_cast<float>(std::max(1.0, std::round(tall * static_cast<double>(rows))));
  grid.area.max = {top_left.x + std::floor(width), top_left.y + covered};
  grid.cell_width = grid.area.width() / static_cast<double>(columns);
  grid.cell_height = grid.area.height() / static_cast<double>(rows);
  return grid;
}

CellGrid fitted_map(const MapRoom& room, std::int64_t rows, std::int64_t columns, bool square, float tallest,
                    float shortest) {
  const ImVec2 top_left = room.top_left;
  const float width = room.width, height = room.height;
  CellGrid grid;
  grid.rows = rows;
  grid.columns = columns;
  grid.area = {top_left, top_left};
  grid.whole_pixels = true;
  if (rows <= 0 || columns <= 0 || width < 1 || height < 1) return grid;
  const auto side_of = [](std::int64_t count, double extent) {
    return fitting_side(extent / static_cast<double>(count));
  };
  const auto pooled = [](std::int64_t count, double extent, double cell) {
    return cell >= 1 ? std::int64_t{1} : cells_a_pixel(count, extent);
  };
  const auto across = static_cast<double>(width), down = static_cast<double>(height);
  grid.cell_width = side_of(columns, across);
  grid.cell_height = side_of(rows, down);
  grid.pooled = {pooled(rows, down, grid.cell_height), pooled(columns, across, grid.cell_width)};
  if (square) {
    const double common = std::min(grid.cell_width, grid.cell_height);
    const std::int64_t cells = common_cells(std::max(grid.pooled.rows, grid.pooled.columns), rows, columns);
    const auto oblong = [&](std::int64_t count, double extent, double& cell, std::int64_t& a_pixel) {
      cell = common;
      a_pixel = cells;
      const double least = std::min<double>(shortest, extent);
      if (common * static_cast<double>(count) >= least || side_of(count, least) <= common) return;
      cell = side_of(count, least);
      a_pixel = pooled(count, least, cell);
    };
    oblong(columns, across, grid.cell_width, grid.pooled.columns);
    oblong(rows, down, grid.cell_height, grid.pooled.rows);
  } else {
    grid.cell_height = std::min(grid.cell_height, std::max(1.0, std::floor(static_cast<double>(tallest))));
  }
  return on_whole_pixels(grid);
}

CellGrid grid_of(const CellGrid& fitted, const Viewport& viewport) {
  if (fitted.empty() || viewport.fitted()) return fitted;
  const auto side = [&](double extent, double visible, double at_least) {
    const double cell = extent / visible;
    if (!std::isfinite(cell)) return at_least;
    if (fitted.whole_pixels && cell < 1) return std::max(at_least, 1 / cells_of(1 / cell, 1 / at_least));
    return std::max(at_least, cell >= 1 && cell > at_least ? std::round(cell) : cell);
  };
  CellGrid grid = fitted;
  grid.cell_width = side(fitted.area.width(), viewport.columns, fitted.cell_width);
  grid.cell_height = side(fitted.area.height(), viewport.rows, fitted.cell_height);
  if (fitted.whole_pixels) {
    grid.pooled = {pooled_cells(fitted.pooled.rows, grid.cell_height, fitted.cell_height),
                   pooled_cells(fitted.pooled.columns, grid.cell_width, fitted.cell_width)};
  }
  grid.column0 = clamped_start(viewport.column0, grid.visible_columns(), static_cast<double>(grid.columns),
                               grid.cell_width, grid.whole_pixels);
  grid.row0 = clamped_start(viewport.row0, grid.visible_rows(), static_cast<double>(grid.rows), grid.cell_height,
                            grid.whole_pixels);
  return grid;
}

Viewport zoomed(const CellGrid& fitted, const Viewport& viewport, double steps, ImVec2 anchor, double largest_cell) {
  const CellGrid grid = grid_of(fitted, viewport);
  if (grid.empty() || steps == 0) return viewport;
  const double smallest = std::min(fitted.cell_width, fitted.cell_height);
  const double now = std::min(grid.cell_width, grid.cell_height);
  double side = now * std::pow(1.25, steps);
  if (side >= 1) side = std::round(side);
  if (now >= 1 && side == std::round(now)) side += steps > 0 ? 1 : -1;
  if (fitted.whole_pixels && (now < 1 || side < 1)) {
    const std::int64_t cells = std::max(grid.pooled.rows, grid.pooled.columns);
    const std::int64_t most = std::max(fitted.pooled.rows, fitted.pooled.columns);
    side = 1 / static_cast<double>(steps > 0 ? finer_cells_a_pixel(cells) : coarser_cells_a_pixel(cells, most));
  }
  side = std::min(side, std::max(largest_cell, smallest));
  if (side <= smallest) return {};
  return viewport_of(rescaled(grid, std::max(fitted.cell_width, side), std::max(fitted.cell_height, side), anchor));
}

Viewport panned(const CellGrid& fitted, const Viewport& viewport, ImVec2 pixels) {
  CellGrid grid = grid_of(fitted, viewport);
  if (grid.empty() || viewport.fitted()) return viewport;
  grid.column0 = clamped_start(grid.column0 - pixels.x / grid.cell_width, grid.visible_columns(),
                               static_cast<double>(grid.columns), grid.cell_width, grid.whole_pixels);
  grid.row0 = clamped_start(grid.row0 - pixels.y / grid.cell_height, grid.visible_rows(),
                            static_cast<double>(grid.rows), grid.cell_height, grid.whole_pixels);
  return viewport_of(grid);
}

Viewport showing(const CellGrid& fitted, const Viewport& viewport, Cell cell) {
  CellGrid grid = grid_of(fitted, viewport);
  if (grid.empty() || viewport.fitted()) return viewport;
  const auto moved = [whole = grid.whole_pixels](double start, double visible, std::int64_t index, std::int64_t count,
                                                 double side) {
    const auto at = static_cast<double>(index);
    const double first = std::min(at, std::max(start, at + 1 - visible));
    return clamped_start(first, visible, static_cast<double>(count), side, whole);
  };
  grid.column0 = moved(grid.column0, grid.visible_columns(), cell.column, grid.columns, grid.cell_width);
  grid.row0 = moved(grid.row0, grid.visible_rows(), cell.row, grid.rows, grid.cell_height);
  return viewport_of(grid);
}

}  // namespace headscope::ui
