// The mask editor: cells, rows, columns and rectangles painted by hand; files in and out.
#include <gtest/gtest.h>

#include <filesystem>

#include "app/ui/imgui_compat.h"
#include "app/ui/mask/mask_files.h"
#include "core/request/request_text.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

struct MaskPanel : ::testing::Test {
  Driver d;

  void SetUp() override {
    d.key(KeyName::m, true);
    d.step(2);
    ASSERT_EQ(d.session.view.main_view, MainView::mask);
  }
  std::string painted() const { return find_request_option("paint")->get(d.session.draft); }
  ImVec2 cell(int row, int column) {
    const Rect grid = d.rect("mask/grid");
    return {grid.min.x + grid.width() * (static_cast<float>(column) + 0.5f) / 5,
            grid.min.y + grid.height() * (static_cast<float>(row) + 0.5f) / 5};
  }
  bool hidden(std::int64_t i, std::int64_t j) const { return d.trace().mask->hidden.hidden(0, 0, i, j); }
};

TEST_F(MaskPanel, TheMatrixIsAtLeastFiveHundredPixels) {
  EXPECT_GE(d.rect("mask/grid").width(), 500);
  EXPECT_EQ(d.rect("mask/grid").width(), d.rect("mask/grid").height());
}

TEST_F(MaskPanel, TheSegmentDecidesWhatAClickDoes) {
  d.click_at(cell(3, 1));
  EXPECT_EQ(painted(), "hide@3:4,1:2");
  d.click_at(cell(3, 1));
  EXPECT_EQ(painted(), "hide@3:4,1:2") << "hide hides, also what is hidden";
  EXPECT_TRUE(hidden(3, 1));
  d.click("mask/paints/show");
  d.click_at(cell(3, 1));
  EXPECT_EQ(painted(), "show@3:4,1:2");
  EXPECT_FALSE(hidden(3, 1));
}

TEST_F(MaskPanel, EraseTakesPaintAwayAndLeavesTheRest) {
  d.drag(cell(1, 0), cell(3, 0));
  d.click("mask/paints/erase");
  d.click_at(cell(2, 0));
  EXPECT_EQ(painted(), "hide@1:2,0:1;hide@3:4,0:1");
  EXPECT_TRUE(hidden(0, 4)) << "causal stays";
  d.click("mask/tool/brush");
  d.drag(cell(0, 0), cell(4, 0));
  EXPECT_EQ(painted(), "");
}

TEST_F(MaskPanel, NothingMovesUnderTheMouseWhileARowIsHiddenWhole) {
  const Rect before = d.rect("mask/grid");
  d.drag(cell(4, 0), cell(4, 4));
  d.step(2);
  ASSERT_EQ(d.trace().fully_masked_queries.size(), 1u);
  const Rect after = d.rect("mask/grid");
  EXPECT_EQ(after.min.y, before.min.y);
  EXPECT_EQ(after.width(), before.width());
}

TEST_F(MaskPanel, ADragPaintsARectangleAndUndoTakesItAway) {
  d.drag(cell(1, 3), cell(3, 0));
  EXPECT_EQ(painted(), "hide@1:4,0:4");
  d.click_at(cell(0, 0));
  EXPECT_EQ(painted(), "hide@1:4,0:4;hide@0:1,0:1");
  d.click("mask/undo");
  EXPECT_EQ(painted(), "hide@1:4,0:4");
  d.key(KeyName::z, true);
  EXPECT_EQ(painted(), "");
}

TEST_F(MaskPanel, LabelsPaintRowsAndColumnsForAnyLength) {
  const Rect above = d.rect("mask/columns"), left = d.rect("mask/rows");
  d.click_at({cell(0, 2).x, above.center().y});
  EXPECT_EQ(painted(), "hide@:,2:3");
  d.click_at({left.center().x, cell(4, 0).y});
  EXPECT_EQ(painted(), "hide@:,2:3;hide@4:5,:");
  d.step(2);
  EXPECT_EQ(d.names("mask/summary").size(), 1u);
  EXPECT_NE(d.names("mask/summary")[0].find("1 row hidden whole"), std::string::npos) << d.names("mask/summary")[0];
}

TEST_F(MaskPanel, TheOtherBrushShowsWhatTheMaskHides) {
  ASSERT_TRUE(hidden(0, 4)) << "the demo is causal";
  d.click("mask/paints/show");
  d.click_at(cell(0, 4));
  EXPECT_EQ(painted(), "show@0:1,4:5");
  EXPECT_FALSE(hidden(0, 4));
  d.step(2);
  EXPECT_NE(d.names("mask/summary")[0].find("1 row leak"), std::string::npos) << d.names("mask/summary")[0];
  d.click("mask/clear");
  EXPECT_EQ(painted(), "");
}

TEST_F(MaskPanel, TheBrushPaintsTheCellsThatItPassesOver) {
  d.click("mask/tool/brush");
  const auto press = [&](int row, int column) {
    d.move(cell(row, column));
    d.button(0, true);
    d.step(1);
  };
  const auto release = [&] {
    d.button(0, false);
    d.step(3);
  };
  press(1, 0);
  press(3, 0);  // quick: the cell between them is passed over, too
  press(3, 2);
  EXPECT_EQ(painted(), "") << "while it is held";
  release();
  EXPECT_EQ(painted(), "hide@1:3,0:1;hide@3:4,0:3");
  EXPECT_TRUE(hidden(2, 0));
  press(4, 4);
  release();
  EXPECT_EQ(painted(), "hide@1:3,0:1;hide@3:4,0:3;hide@4:5,4:5");
  d.key(KeyName::z, true);
  EXPECT_EQ(painted(), "hide@1:3,0:1;hide@3:4,0:3") << "a stroke is one step";
  d.key(KeyName::z, true);
  EXPECT_EQ(painted(), "");
}

TEST_F(MaskPanel, AWiderBrushPaintsSquares) {
  d.click("mask/tool/brush");
  d.click("mask/size/+");
  d.click("mask/size/+");
  d.drag(cell(3, 1), cell(3, 2));
  EXPECT_EQ(painted(), "hide@2:5,0:4");
  d.drag(cell(3, 1), cell(3, 2));
  EXPECT_EQ(painted(), "hide@2:5,0:4") << "it hides what is hidden, too";
  d.click("mask/clear");
  d.click("mask/paints/show");
  d.drag(cell(0, 3), cell(0, 3));
  EXPECT_EQ(painted(), "show@0:2,2:5");
  EXPECT_FALSE(hidden(0, 4));
  d.click_at(cell(4, 0));
  d.key(KeyName::space);
  EXPECT_NE(painted(), "");
}

TEST_F(MaskPanel, TheSizeIsOfTheBrushAlone) {
  d.click("mask/size/+");
  d.click_at(cell(3, 1));
  EXPECT_EQ(painted(), "hide@3:4,1:2");
}

TEST_F(MaskPanel, ArrowsWalkAndSpacePaints) {
  d.click_at(cell(4, 4));
  d.key(KeyName::left);
  d.key(KeyName::up);
  d.key(KeyName::space);
  EXPECT_EQ(painted(), "hide@4:5,4:5;hide@3:4,3:4");
}

TEST_F(MaskPanel, AMaskWrittenInAnyConventionComesBack) {
  const TemporaryFolder folder;
  d.click_at(cell(3, 1));
  d.drag(cell(1, 0), cell(2, 1));
  const std::vector<std::uint8_t> wanted = [&] {
    std::vector<std::uint8_t> cells;
    for (std::int64_t i = 0; i < 5; ++i) {
      for (std::int64_t j = 0; j < 5; ++j) cells.push_back(hidden(i, j) ? 1 : 0);
    }
    return cells;
  }();
  for (const char* convention : {"additive", "keep", "hide"}) {
    for (const char* ending : {".npy", ".csv"}) {
      d.choose("mask/convention", convention);
      d.state.panels.get<MaskFilesState>().path = folder / (std::string("mask") + ending);
      d.step(2);
      d.click("mask/export");
      d.click("mask/clear");
      ASSERT_EQ(painted(), "");
      d.click("mask/import");
      d.step(3);
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        EXPECT_EQ(hidden(static_cast<std::int64_t>(k) / 5, static_cast<std::int64_t>(k) % 5), wanted[k] != 0)
            << convention << ending << k;
      }
    }
  }
  d.choose("mask/convention", "key-padding");
  d.click("mask/export");
  EXPECT_NE(d.names("mask/said")[0].find("sees other keys than query 0"), std::string::npos) << d.names("mask/said")[0];
}

TEST_F(MaskPanel, ATokenizersBatchIsReadTextByText) {
  const TemporaryFolder folder;
  d.choose("mask/convention", "key-padding");
  d.state.panels.get<MaskFilesState>().path = folder.write("batch.csv", "1,1,1,1,1\n1,1,1,0,0\n");
  d.step(2);
  d.click("mask/import");
  EXPECT_EQ(painted(), "");
  d.click("mask/text/+");
  d.click("mask/import");
  EXPECT_EQ(painted(), "hide@:,3:4;hide@:,4:5");
  d.click("mask/text/+");
  d.click("mask/import");
  EXPECT_NE(d.names("mask/said")[0].find("rows 0 to 1"), std::string::npos) << d.names("mask/said")[0];
  EXPECT_EQ(painted(), "hide@:,3:4;hide@:,4:5");
  d.choose("mask/convention", "keep");
  EXPECT_FALSE(d.has("mask/text")) << "a row of other conventions is a query";
}

TEST_F(MaskPanel, TheSameKeyGoesBack) {
  d.key(KeyName::m, true);
  d.step(2);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_TRUE(d.has("heads/0"));
}

}  // namespace
}  // namespace headscope::ui
