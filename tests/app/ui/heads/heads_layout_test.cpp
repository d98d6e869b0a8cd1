#include "app/ui/heads/heads_layout.h"

#include <gtest/gtest.h>

namespace headscope::ui {
namespace {

TEST(HeadPlaces, IsTheMockupsAtSixteenHundredPixels) {
  const HeadPlaces twelve = heads_layout(796, 436, 8, 12, 12, 1);
  EXPECT_EQ(twelve.columns, 4);
  EXPECT_EQ(twelve.width, 192);
  EXPECT_EQ(twelve.height, 192);
  EXPECT_FALSE(twelve.scrolls);
  EXPECT_EQ(twelve.position(1, 22).x, 201);
  EXPECT_EQ(twelve.position(4, 22).y, 244);
  const HeadPlaces five = heads_layout(796, 436, 8, 5, 5, 1);
  EXPECT_EQ(five.width, 190);
}

TEST(HeadPlaces, HasTheColumnsThatTheRoomAndTheMapAskFor) {
  EXPECT_EQ(heads_layout(300, 1200, 8, 12, 12, 1).columns, 2) << "a tall room";
  EXPECT_EQ(heads_layout(1600, 260, 8, 12, 12, 1).columns, 8) << "a flat one";
  EXPECT_EQ(heads_layout(796, 436, 8, 3, 40, 1).columns, 2) << "wide maps";
  EXPECT_EQ(heads_layout(796, 436, 12, 400, 400, 1).columns, 6) << "no place is left empty";
}

TEST(HeadPlaces, ThumbnailsGrowWithTheRoom) {
  float before = 0;
  for (const float width : {500.0f, 700.0f, 900.0f, 1200.0f, 1600.0f}) {
    const HeadPlaces layout = heads_layout(width, width * 0.6f, 8, 400, 400, 1);
    EXPECT_GT(layout.width, before);
    EXPECT_FALSE(layout.scrolls);
    before = layout.width;
  }
}

TEST(HeadPlaces, ScrollsInsteadOfShrinkingBelowSeventyTwoPixels) {
  EXPECT_FALSE(heads_layout(796, 436, 28, 12, 12, 1).scrolls);
  const HeadPlaces layout = heads_layout(796, 436, 64, 12, 12, 1);
  EXPECT_TRUE(layout.scrolls);
  EXPECT_EQ(layout.columns, 8) << "full rows";
  EXPECT_GE(layout.width, 72);
  EXPECT_GT(layout.content_height, 436);
}

TEST(HeadPlaces, NeverOverlapsAndNeverLeavesTheWidth) {
  for (const std::int64_t heads : {1, 2, 3, 4, 7, 8, 12, 16, 512}) {
    for (const auto& [rows, columns] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {5, 5}, {12, 3}, {3, 40}, {400, 400}, {1, 400}}) {
      const HeadPlaces layout = heads_layout(796, 436, heads, rows, columns, 1);
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

}  // namespace
}  // namespace headscope::ui
