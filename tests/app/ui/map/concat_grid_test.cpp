#include "app/ui/map/concat_grid.h"

#include <gtest/gtest.h>

namespace headscope::ui {
namespace {

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

}  // namespace
}  // namespace headscope::ui
