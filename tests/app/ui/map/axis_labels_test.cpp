// Which rows and columns of a heatmap are named, and where.
#include "app/ui/map/axis_labels.h"

#include <gtest/gtest.h>

#include "app/ui/map/cell_grid.h"

namespace headscope::ui {
namespace {

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

}  // namespace
}  // namespace headscope::ui
