// Geometry of heatmaps: fitting, zooming at a point, panning.
#include "app/ui/map/cell_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "core/picture/heatmap_spec.h"

namespace headscope::ui {
namespace {

bool is_whole(double value) {
  return std::abs(value - std::round(value)) < 1e-9;
}

TEST(CellGrid, FitsTheLargestWholePixelsOfTheMockup) {
  const CellGrid grid = fitted_square({1226, 300}, 318, 340, 12, 12);
  EXPECT_EQ(grid.cell_width, 26);
  EXPECT_EQ(grid.cell_height, 26);
  EXPECT_EQ(grid.area.width(), 312);
  EXPECT_EQ(grid.area.height(), 312);
}

TEST(CellGrid, FillsTheWidthWhenCellsAreSmallerThanAPixel) {
  const CellGrid grid = fitted_square({0, 0}, 193, 400, 400, 400);
  EXPECT_EQ(grid.area.width(), 193);
  EXPECT_EQ(grid.area.height(), 193);
  EXPECT_TRUE(grid.cell_width < 1);
  EXPECT_EQ(grid.column_range(), (Range{0, 400}));
}

TEST(CellGrid, FillsTheRoomBelowThreePixelsACell) {
  const CellGrid grid = fitted_square({10, 20}, 745, 800, 400, 400);
  EXPECT_EQ(grid.area.width(), 745);
  EXPECT_EQ(grid.area.height(), 745);
  for (int x = 0; x < 745; ++x) {
    const Cell cell = *grid.cell_at({10 + static_cast<float>(x), 20});
    const Rect place = grid.column_rect(cell.column);
    EXPECT_TRUE(place.min.x <= 10 + static_cast<float>(x) && 10 + static_cast<float>(x) < place.max.x) << x;
    EXPECT_EQ(axis_window(0, 400, 745).cell_under(x), cell.column) << "as in the picture";
  }
}

TEST(CellGrid, KeepsALongMatrixReadable) {
  const CellGrid one_row = fitted_square({0, 0}, 300, 300, 1, 4000);
  EXPECT_GE(one_row.area.height(), 24);
  EXPECT_EQ(one_row.area.width(), 300);
  const CellGrid one_column = fitted_square({0, 0}, 300, 300, 4000, 1);
  EXPECT_GE(one_column.area.width(), 24);
}

TEST(CellGrid, HoldsASingleCell) {
  const CellGrid grid = fitted_square({10, 20}, 100, 80, 1, 1);
  EXPECT_EQ(grid.area.width(), 80);
  EXPECT_EQ(grid.cell_at({11, 21}), (Cell{0, 0}));
  EXPECT_EQ(grid.cell_at({9, 21}), std::nullopt);
}

TEST(CellGrid, IsEmptyWithoutRoomOrCells) {
  EXPECT_TRUE(fitted_square({0, 0}, 0, 100, 5, 5).empty());
  EXPECT_TRUE(fitted_square({0, 0}, 100, 100, 0, 5).empty());
  EXPECT_EQ(fitted_square({0, 0}, 100, 100, 0, 5).cell_at({1, 1}), std::nullopt);
  EXPECT_TRUE(fitted_oblong({0, 0}, 100, -3, 5, 5, 26).empty());
}

TEST(CellGrid, EveryCellIsFoundAtItsCentre) {
  for (const std::int64_t count : {1, 5, 12, 40}) {
    const CellGrid grid = fitted_square({7, 9}, 310, 310, count, count + 3);
    for (std::int64_t row = 0; row < count; ++row) {
      for (std::int64_t column = 0; column < count + 3; ++column) {
        EXPECT_EQ(grid.cell_at(grid.cell_rect(row, column).center()), (Cell{row, column}));
      }
    }
  }
}

TEST(CellGrid, WheelKeepsThePlaceUnderTheCursor) {
  const CellGrid fitted = fitted_square({100, 50}, 318, 340, 12, 12);
  const ImVec2 cursor{100 + 26 * 7 + 13, 50 + 26 * 4 + 13};
  Viewport viewport;
  for (int step = 0; step < 8; ++step) {
    viewport = zoomed(fitted, viewport, 1, cursor, 96);
    const CellGrid grid = grid_of(fitted, viewport);
    EXPECT_EQ(grid.cell_at(cursor), (Cell{4, 7})) << "after " << step + 1 << " steps";
    EXPECT_TRUE(is_whole(grid.cell_width)) << grid.cell_width;
    EXPECT_TRUE(is_whole(grid.column0 * grid.cell_width)) << grid.column0;
    EXPECT_EQ(grid.area.width(), fitted.area.width());
  }
}

TEST(CellGrid, ZoomingAllTheWayOutFitsAgain) {
  const CellGrid fitted = fitted_square({0, 0}, 318, 340, 400, 400);
  Viewport viewport;
  for (int step = 0; step < 30; ++step) viewport = zoomed(fitted, viewport, 1, {300, 20}, 64);
  EXPECT_FALSE(viewport.fitted());
  EXPECT_EQ(grid_of(fitted, viewport).cell_width, 64);
  for (int step = 0; step < 60; ++step) viewport = zoomed(fitted, viewport, -1, {300, 20}, 64);
  EXPECT_TRUE(viewport.fitted());
}

TEST(CellGrid, EachWheelStepFromOnePixelOnChangesTheCells) {
  const CellGrid fitted = fitted_square({0, 0}, 300, 300, 100, 100);
  Viewport viewport;
  double before = fitted.cell_width;
  while (before < 64) {
    viewport = zoomed(fitted, viewport, 1, {150, 150}, 64);
    const double now = grid_of(fitted, viewport).cell_width;
    ASSERT_GT(now, before);
    before = now;
  }
}

TEST(CellGrid, ZoomWidensNarrowCellsFirst) {
  const CellGrid fitted = fitted_oblong({0, 0}, 312, 400, 12, 512, 26);
  EXPECT_EQ(fitted.cell_height, 26);
  const Viewport viewport = zoomed(fitted, {}, 3, {150, 100}, 64);
  const CellGrid grid = grid_of(fitted, viewport);
  EXPECT_GT(grid.cell_width, fitted.cell_width);
  EXPECT_EQ(grid.cell_height, 26);
}

TEST(CellGrid, PanStopsAtTheEdges) {
  const CellGrid fitted = fitted_square({0, 0}, 240, 240, 24, 24);
  Viewport viewport = zoomed(fitted, {}, 4, {120, 120}, 64);
  viewport = panned(fitted, viewport, {10000, 10000});
  EXPECT_EQ(viewport.row0, 0);
  EXPECT_EQ(viewport.column0, 0);
  viewport = panned(fitted, viewport, {-10000, -10000});
  const CellGrid grid = grid_of(fitted, viewport);
  EXPECT_TRUE(std::abs(grid.row0 + grid.visible_rows() - 24) < 1e-9);
  EXPECT_EQ(grid.row_range().end, 24);
  EXPECT_EQ(panned(fitted, {}, {50, 50}), Viewport{});
}

TEST(CellGrid, ShowsTheCellThatTheKeysMoveTo) {
  const CellGrid fitted = fitted_square({0, 0}, 240, 240, 24, 24);
  Viewport viewport = zoomed(fitted, {}, 4, {0, 0}, 64);
  viewport = showing(fitted, viewport, {23, 23});
  const CellGrid grid = grid_of(fitted, viewport);
  EXPECT_EQ(grid.row_range().end, 24);
  EXPECT_TRUE(grid.cell_at(grid.cell_rect(23, 23).center()) == (Cell{23, 23}));
}

TEST(CellGrid, AnOldViewportOfAnotherMatrixDoesNoHarm) {
  const CellGrid fitted = fitted_square({0, 0}, 240, 240, 3, 3);
  for (const Viewport& viewport :
       {Viewport{200, 300, 10, 10}, Viewport{-5, -5, 1, 1}, Viewport{0, 0, 1e-12, 1e-12}, Viewport{1, 1, 1e9, 1e9}}) {
    const CellGrid grid = grid_of(fitted, viewport);
    EXPECT_GE(grid.row0, 0);
    EXPECT_LE(grid.row0 + grid.visible_rows(), 3 + 1e-9);
    EXPECT_TRUE(std::isfinite(grid.cell_width));
    EXPECT_NE(grid.cell_at({120, 120}), std::nullopt);
  }
}

TEST(LargeMapGrid, PixelsHoldAWholeNumberOfCells) {
  const CellGrid grid = fitted_map({{10, 20}, 700, 640}, 32768, 32768, true);
  EXPECT_EQ(grid.pixel_cells(), (PixelCells{64, 64}));
  EXPECT_EQ(grid.area.width(), 640) << "spread over the room";
  EXPECT_EQ(grid.area.height(), 640);
  const CellGrid wider = fitted_map({{10, 20}, 700, 700}, 32768, 32768, true);
  EXPECT_EQ(wider.pixel_cells(), (PixelCells{48, 48}));
  EXPECT_EQ(wider.area.width(), 700);
  EXPECT_EQ(wider.cell_at({10 + 699.5f, 20 + 0.5f}), (Cell{23, 32744}));
}

TEST(LargeMapGrid, FitsAnyShape) {
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{32768, 512},
                                      {4, 100000},
                                      {9000, 1},
                                      {3000, 40000},
                                      {5, 7},
                                      {2049, 2049}}) {
    for (const bool square : {true, false}) {
      const CellGrid grid = fitted_map({{0, 0}, 311, 402}, rows, columns, square);
      EXPECT_LE(grid.area.width(), 311);
      EXPECT_LE(grid.area.height(), 402);
      const PixelCells cells = grid.pixel_cells();
      EXPECT_GE(grid.area.width() * static_cast<float>(cells.columns) * 2, static_cast<float>(columns));
      const auto fills = [&](double cell, float extent, std::int64_t count) {
        if (cell >= kWholeFrom) return is_whole(cell);
        return std::abs(cell * static_cast<double>(count) - static_cast<double>(extent)) < 1e-6;
      };
      EXPECT_TRUE(fills(grid.cell_width, grid.area.width(), columns)) << rows << " x " << columns;
      EXPECT_TRUE(fills(grid.cell_height, grid.area.height(), rows)) << rows << " x " << columns;
      for (const auto& [a_pixel, side] :
           {std::pair{cells.rows, grid.cell_height}, std::pair{cells.columns, grid.cell_width}}) {
        EXPECT_EQ(a_pixel == 1, side >= 1);
        EXPECT_GE(static_cast<double>(a_pixel) * side, 1 - 1e-9) << "a pixel of the picture fills one of the screen";
      }
      EXPECT_EQ(grid.row_range(), (Range{0, rows}));
      EXPECT_EQ(grid.column_range(), (Range{0, columns}));
    }
  }
}

TEST(LargeMapGrid, ZoomHalvesWhatAPixelHoldsDownToOneCellAndComesBack) {
  const CellGrid fitted = fitted_map({{0, 0}, 700, 700}, 32768, 32768, true);
  const ImVec2 cursor{400, 300};
  Viewport viewport;
  std::vector<std::int64_t> seen;
  const Cell under = *fitted.cell_at(cursor);
  for (int step = 0; step < 8; ++step) {
    viewport = zoomed(fitted, viewport, 1, cursor, 96);
    const CellGrid grid = grid_of(fitted, viewport);
    const PixelCells cells = grid.pixel_cells();
    seen.push_back(cells.rows);
    EXPECT_EQ(cells.columns, cells.rows);
    EXPECT_TRUE(is_whole(grid.row0 / static_cast<double>(cells.rows)));
    const Cell now = *grid.cell_at(cursor);
    EXPECT_LE(std::abs(now.row - under.row), 2 * 48);
    EXPECT_EQ(grid.area.width(), fitted.area.width());
  }
  EXPECT_EQ(seen, (std::vector<std::int64_t>{32, 16, 8, 4, 2, 1, 1, 1}));
  EXPECT_EQ(grid_of(fitted, viewport).cell_width, 3);
  for (int step = 0; step < 20; ++step) viewport = zoomed(fitted, viewport, -1, cursor, 96);
  EXPECT_TRUE(viewport.fitted());
}

TEST(LargeMapGrid, EveryCellCanBePannedTo) {
  const CellGrid fitted = fitted_map({{0, 0}, 500, 500}, 32771, 32771, true);
  Viewport viewport = zoomed(fitted, {}, 3, {100, 100}, 96);
  const std::int64_t cells = grid_of(fitted, viewport).pixel_cells().rows;
  EXPECT_GT(cells, 1);
  viewport = panned(fitted, viewport, {-1e7f, -1e7f});
  const CellGrid grid = grid_of(fitted, viewport);
  EXPECT_EQ(grid.row_range().end, 32771);
  EXPECT_EQ(grid.column_range().end, 32771);
  EXPECT_EQ(std::fmod(grid.row0, static_cast<double>(cells)), 0);
  EXPECT_EQ(showing(fitted, viewport, {32770, 32770}), viewport);
  viewport = showing(fitted, viewport, {3, 5});
  EXPECT_LE(viewport.row0, 3);
  EXPECT_LE(viewport.column0, 5);
}

TEST(CellGrid, APartHasCellsOfTheSameSize) {
  const CellGrid whole = fitted_square({10, 20}, 220, 230, 13, 13);
  const CellGrid part = first_cells(whole, 12, 10);
  EXPECT_EQ(part.cell_width, whole.cell_width);
  EXPECT_EQ(part.cell_height, whole.cell_height);
  EXPECT_EQ(part.rows, 12);
  EXPECT_EQ(part.columns, 10);
  EXPECT_EQ(part.area.max.x, 10 + 10 * static_cast<float>(whole.cell_width));
  EXPECT_EQ(part.area.max.y, 20 + 12 * static_cast<float>(whole.cell_height));
}

}  // namespace
}  // namespace headscope::ui
