// Geometry of heatmaps: fitting, zooming at a point, panning, which cells are named.
#include "app/ui/map/cell_grid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/ui/heads/heads_layout.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/concat_grid.h"

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
  EXPECT_EQ(grid.area.width(), 512);
  EXPECT_EQ(grid.area.height(), 512);
  const CellGrid wider = fitted_map({{10, 20}, 700, 700}, 32768, 32768, true);
  EXPECT_EQ(wider.pixel_cells(), (PixelCells{48, 48}));
  EXPECT_EQ(wider.area.width(), 683);
  EXPECT_EQ(wider.cell_at({10 + 682.5f, 20 + 0.5f}), (Cell{24, 32760}));
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
      for (const auto& [count, side] : {std::pair{rows, grid.cell_height}, {columns, grid.cell_width}}) {
        const double per = side >= 1 ? side : 1 / side;
        EXPECT_TRUE(is_whole(per)) << rows << " x " << columns << ": " << side;
        if (side < 1) {
          EXPECT_EQ(cells_a_pixel(count, std::ceil(static_cast<double>(count) / per)), std::llround(per));
        }
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

TEST(AxisLabels, NameEveryCellFromElevenPixels) {
  const std::vector<AxisLabel> labels = axis_labels({.start = 0, .cell = 11, .extent = 132, .count = 12});
  ASSERT_EQ(labels.size(), 12u);
  EXPECT_TRUE(labels[7].named);
  EXPECT_EQ(labels[7].center, 82.5);
}

TEST(AxisLabels, ThinToOneTwoFiveAndBoxTheMarkedOne) {
  AxisLabelSpec spec{.start = 0, .cell = 0.5, .extent = 200, .count = 400};
  std::vector<AxisLabel> labels = axis_labels(spec);
  ASSERT_GE(labels.size(), 2u);
  EXPECT_EQ(labels[1].index - labels[0].index, 50);
  EXPECT_FALSE(labels[0].named);
  spec.marked = 103;
  labels = axis_labels(spec);
  bool boxed = false;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].boxed) {
      boxed = true;
      EXPECT_EQ(labels[i].index, 103);
    } else {
      EXPECT_NE(labels[i].index, 100) << "its neighbour makes room";
    }
    if (i > 0) {
      EXPECT_LT(labels[i - 1].index, labels[i].index);
    }
  }
  EXPECT_TRUE(boxed);
}

TEST(AxisLabels, ThinIndicesToPowersOfTwo) {
  const std::vector<AxisLabel> labels =
      axis_labels({.start = 0, .cell = 0.6, .extent = 307, .count = 512, .spacing = 44, .powers_of_two = true});
  ASSERT_GE(labels.size(), 2u);
  EXPECT_EQ(labels[1].index - labels[0].index, 128);
}

TEST(AxisLabels, NothingWithoutCellsAndNeverMoreThanFit) {
  EXPECT_TRUE(axis_labels({.start = 0, .cell = 0, .extent = 100, .count = 5}).empty());
  EXPECT_TRUE(axis_labels({.start = 0, .cell = 5, .extent = 100, .count = 0}).empty());
  EXPECT_LE(axis_labels({.start = 0, .cell = 1e-6, .extent = 300, .count = 300'000'000}).size(), 20u);
}

TEST(AxisLabels, WriteLargeNumbersInGroups) {
  EXPECT_EQ(grouped_digits(0), "0");
  EXPECT_EQ(grouped_digits(999), "999");
  EXPECT_EQ(grouped_digits(14862), "14,862");
  EXPECT_EQ(grouped_digits(-1234567), "\u22121,234,567");
}

TEST(HeadsLayout, IsTheMockupsAtSixteenHundredPixels) {
  const HeadsLayout twelve = heads_layout(796, 436, 8, 12, 12, 1);
  EXPECT_EQ(twelve.columns, 4);
  EXPECT_EQ(twelve.width, 192);
  EXPECT_EQ(twelve.height, 192);
  EXPECT_FALSE(twelve.scrolls);
  EXPECT_EQ(twelve.position(1, 22).x, 201);
  EXPECT_EQ(twelve.position(4, 22).y, 244);
  const HeadsLayout five = heads_layout(796, 436, 8, 5, 5, 1);
  EXPECT_EQ(five.width, 190);
}

TEST(HeadsLayout, ScrollsInsteadOfShrinkingBelowNinetySixPixels) {
  const HeadsLayout layout = heads_layout(796, 436, 64, 12, 12, 1);
  EXPECT_TRUE(layout.scrolls);
  EXPECT_EQ(layout.columns, 4);
  EXPECT_GE(layout.width, 96);
  EXPECT_GT(layout.content_height, 436);
}

TEST(HeadsLayout, NeverOverlapsAndNeverLeavesTheWidth) {
  for (const std::int64_t heads : {1, 2, 3, 4, 7, 8, 12, 16, 512}) {
    for (const auto& [rows, columns] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {5, 5}, {12, 3}, {3, 40}, {400, 400}, {1, 400}}) {
      const HeadsLayout layout = heads_layout(796, 436, heads, rows, columns, 1);
      ASSERT_GE(layout.columns, 1);
      EXPECT_LE(static_cast<float>(layout.columns) * layout.width + static_cast<float>(layout.columns - 1) * layout.gap,
                796.5f)
          << heads << " heads of " << rows << " x " << columns;
      EXPECT_GE(layout.gap, 0);
      EXPECT_GT(layout.height, 0);
      EXPECT_GE(layout.row_pitch, layout.height + 22);
    }
  }
}

TEST(ConcatGrid, GivesEachHeadABandAsInTheMockup) {
  const ConcatGrid grid = concat_grid({{340, 797}, 796, 168}, 12, 64, 8, 1);
  ASSERT_EQ(grid.bands.size(), 8u);
  EXPECT_EQ(grid.bands[0].area.width(), 96);
  EXPECT_EQ(grid.bands[1].area.min.x, 440);
  EXPECT_EQ(grid.bands[0].cell_height, 14);
  EXPECT_EQ(grid.cell_at({441, 798}), (Cell{0, 8}));
  EXPECT_EQ(grid.cell_at({438, 798}), std::nullopt) << "a gap belongs to no head";
}

TEST(ConcatGrid, FindsEveryFeatureWhereItIsDrawn) {
  for (const std::int64_t bands : {1, 3, 8}) {
    const ConcatGrid grid = concat_grid({{10, 20}, 700, 90}, 5, 48, bands, 1);
    for (std::int64_t feature = 0; feature < 48; ++feature) {
      EXPECT_EQ(grid.cell_at(grid.features_rect(3, feature, feature + 1).center()), (Cell{3, feature}));
    }
  }
}

TEST(ConcatGrid, GivesUpGapsBeforePixels) {
  const ConcatGrid many = concat_grid({{0, 0}, 796, 90}, 5, 512, 512, 1);
  EXPECT_EQ(many.bands.size(), 1u);
  EXPECT_EQ(many.bands[0].area.width(), 796);
  EXPECT_TRUE(concat_grid({{0, 0}, 4, 90}, 5, 512, 8, 1).bands.empty());
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
