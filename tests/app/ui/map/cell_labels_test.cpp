// The numbers that a heatmap on screen has in its cells.
#include "app/ui/map/cell_labels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "app/ui/map/heatmap_view.h"
#include "core/request/mask.h"

namespace headscope::ui {
namespace {

HeatmapView view_of(std::vector<float> values, std::int64_t columns, float cell, bool weights) {
  HeatmapView view;
  const auto rows = static_cast<std::int64_t>(values.size()) / columns;
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::fabs(value));
  view.matrix = Tensor::of({rows, columns}, {Axis::query, Axis::key}, std::move(values));
  view.grid =
      fitted_square({100, 100}, cell * static_cast<float>(columns), cell * static_cast<float>(rows), rows, columns);
  view.weight_like = weights;
  view.range = {weights ? 0.0 : -static_cast<double>(largest), weights ? 1.0 : static_cast<double>(largest)};
  return view;
}

CellLabels labels_of(const HeatmapView& view) {
  return cell_labels(view,
                     {.height = 10, .advance = 6, .smallest = 9, .room = static_cast<float>(view.grid.cell_width) - 2});
}

std::string text_at(const CellLabels& found, std::int64_t row, std::int64_t column) {
  for (const CellLabel& label : found.labels) {
    if (label.cell == Cell{row, column}) return label.text;
  }
  return "";
}

TEST(CellLabels, BothSidesOfZeroHaveTheSameDigits) {
  // Of the parts of a score: -0.0962 and -0.0546 were both "-.1" where 0.01 was ".01".
  for (const float cell : {24.0f, 26.0f, 40.0f}) {
    const CellLabels found = labels_of(view_of({-0.0962f, -0.0546f, 0.01f, 0.3f}, 2, cell, false));
    EXPECT_EQ(text_at(found, 0, 0), "\u2212.10");
    EXPECT_EQ(text_at(found, 0, 1), "\u2212.05");
    EXPECT_EQ(text_at(found, 1, 0), ".01");
    EXPECT_EQ(text_at(found, 1, 1), ".30");
    EXPECT_LE(found.advance * 4, cell - 2) << "they fit into a cell";
    EXPECT_GE(found.height, 9);
  }
}

TEST(CellLabels, ABlankCellIsBelowHalfAUnit) {
  const HeatmapView view = view_of({-4.55f, 4.55f, 0.04f, -0.06f, 0, 2}, 3, 26, false);
  const CellLabels found = labels_of(view);
  EXPECT_EQ(found.numbers.decimals, 1) << "two decimals of -4.55 do not fit";
  EXPECT_EQ(text_at(found, 0, 0), "\u22124.6");
  EXPECT_EQ(text_at(found, 0, 1), "4.6");
  EXPECT_EQ(text_at(found, 0, 2), "");
  EXPECT_EQ(text_at(found, 1, 0), "\u2212.1");
  EXPECT_EQ(text_at(found, 1, 1), "");
  EXPECT_EQ(text_at(found, 1, 2), "2.0");
}

TEST(CellLabels, NumbersBeyondTheColoursAreThereToo) {
  HeatmapView view = view_of({0.5f, -12.25f}, 2, 40, false);
  view.range = {-1, 1};
  const CellLabels found = labels_of(view);
  EXPECT_EQ(text_at(found, 0, 0), ".5");
  EXPECT_EQ(text_at(found, 0, 1), "\u221212.2");
}

TEST(CellLabels, WeightsHaveTwoDecimalsAndHiddenCellsNone) {
  HeatmapView view = view_of({0.9f, 0.1f, 1, 0.004f}, 2, 24, true);
  EXPECT_EQ(text_at(labels_of(view), 0, 0), ".90");
  EXPECT_EQ(text_at(labels_of(view), 1, 0), "1");
  EXPECT_EQ(text_at(labels_of(view), 1, 1), "");
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, 2, 2);
  mask->hidden.mutable_row(0, 0, 0)[1] = 1;
  mask->hidden.refresh_any();
  view.mask = mask;
  const CellLabels found = labels_of(view);
  EXPECT_EQ(text_at(found, 0, 1), ".10") << "hidden, yet weighed";
  ASSERT_EQ(found.labels.size(), 3u);
  EXPECT_TRUE(found.labels[1].hidden);
  view.weight_like = false;
  EXPECT_EQ(text_at(labels_of(view), 0, 1), "");
}

}  // namespace
}  // namespace headscope::ui
