// The inspector: pick, zoom at the cursor, pan, fit, step through slices, read the numbers, take them away.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "app/ui/map/cell_grid.h"
#include "app/ui/panel_data.h"
#include "app/ui/widgets/control_states.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

// The cell under a point of the picture as the view says.
Cell cell_under(Driver& d, ImVec2 at, std::int64_t rows, std::int64_t columns) {
  const Rect picture = d.rect("inspector/picture");
  CellGrid fitted;
  fitted.area = picture;
  fitted.rows = rows;
  fitted.columns = columns;
  fitted.cell_width = picture.width() / static_cast<double>(columns);
  fitted.cell_height = picture.height() / static_cast<double>(rows);
  return grid_of(fitted, d.session.view.viewport).cell_at(at).value_or(Cell{-1, -1});
}

void turn_wheel_at(Driver& d, ImVec2 at, float turns) {
  d.move(at);
  d.wheel_here(turns);
  d.step(1);
}

TEST(Inspector, AClickPicksACellAndArrowsMoveIt) {
  Driver d;
  d.click("inspector/picture", 0.5f, 0.9f);
  EXPECT_EQ(d.session.view.cell, (Cell{4, 2}));
  d.key(KeyName::up);
  d.key(KeyName::left);
  EXPECT_EQ(d.session.view.cell, (Cell{3, 1}));
  for (int i = 0; i < 9; ++i) d.key(KeyName::up);
  EXPECT_EQ(d.session.view.cell, (Cell{0, 1})) << "the first row stays";
}

TEST(Inspector, TwelveTokensKeepTheirNumbersInASmallWindow) {
  for (const StageId stage : {StageId::weights, StageId::scores}) {
    Driver d(phrase_document(kTwelve), 1280, 800);
    d.session.view.stage = d.session.view.quantity = stage;
    d.step();
    EXPECT_GE(d.rect("inspector/picture").width(), 12 * 24) << stage_name(stage);
    EXPECT_GE(d.rect("inspector/picture").height(), 12 * 24) << stage_name(stage);
  }
}

TEST(Inspector, TheWheelZoomsAtTheCursor) {
  Driver d(phrase_document(words(40), 4));
  const Rect picture = d.rect("inspector/picture");
  const ImVec2 at{picture.min.x + std::round(picture.width() * 0.7f),
                  picture.min.y + std::round(picture.height() * 0.3f)};
  const Cell before = cell_under(d, at, 40, 40);
  for (int i = 0; i < 5; ++i) {
    turn_wheel_at(d, at, 1);
    EXPECT_FALSE(d.session.view.viewport.fitted());
    EXPECT_EQ(cell_under(d, at, 40, 40), before) << "after " << i + 1;
  }
  EXPECT_LT(d.session.view.viewport.columns, 40);
  turn_wheel_at(d, at, -20);
  EXPECT_TRUE(d.session.view.viewport.fitted());
}

TEST(Inspector, DragPansAndPicksNothing) {
  Driver d(phrase_document(words(40), 4));
  const Rect picture = d.rect("inspector/picture");
  const ImVec2 middle = picture.center();
  for (int i = 0; i < 4; ++i) turn_wheel_at(d, middle, 1);
  const Viewport before = d.session.view.viewport;
  d.drag(middle, {middle.x - 40, middle.y - 20});
  EXPECT_GT(d.session.view.viewport.column0, before.column0);
  EXPECT_GT(d.session.view.viewport.row0, before.row0);
  EXPECT_EQ(d.session.view.viewport.columns, before.columns);
  EXPECT_EQ(d.session.view.cell, std::nullopt);
}

TEST(Inspector, CtrlShiftFFits) {
  Driver d(phrase_document(words(40), 4));
  const ImVec2 middle = d.rect("inspector/picture").center();
  for (int i = 0; i < 4; ++i) turn_wheel_at(d, middle, 1);
  ASSERT_FALSE(d.session.view.viewport.fitted());
  d.key(KeyName::f, true, true);
  EXPECT_TRUE(d.session.view.viewport.fitted());
}

TEST(Inspector, KeysZoomAtThePickedCellAndFit) {
  Driver d(phrase_document(words(40), 4));
  d.click("inspector/picture", 0.9f, 0.9f);
  const Cell cell = *d.session.view.cell;
  for (int i = 0; i < 6; ++i) d.key(KeyName::plus);
  const Viewport viewport = d.session.view.viewport;
  EXPECT_FALSE(viewport.fitted());
  EXPECT_LE(viewport.row0, static_cast<double>(cell.row));
  EXPECT_GE(viewport.row0 + viewport.rows, static_cast<double>(cell.row + 1) - 1e-9);
  d.key(KeyName::minus);
  EXPECT_GT(d.session.view.viewport.rows, viewport.rows);
  d.key(KeyName::home);
  EXPECT_TRUE(d.session.view.viewport.fitted());
}

TEST(Inspector, ArrowsKeepThePickedCellInSight) {
  Driver d(phrase_document(words(40), 4));
  d.click("inspector/picture", 0.5f, 0.5f);
  for (int i = 0; i < 8; ++i) d.key(KeyName::plus);
  for (int i = 0; i < 40; ++i) d.key(KeyName::right);
  EXPECT_EQ(d.session.view.cell->column, 39);
  const Viewport viewport = d.session.view.viewport;
  EXPECT_TRUE(std::abs(viewport.column0 + viewport.columns - 40) < 1e-6);
}

TEST(Inspector, StepsThroughHeadsOfAnyStage) {
  Driver d(phrase_document("a b c d e", 4));
  d.click("pipeline/query");
  ASSERT_TRUE(d.has("inspector/head/+"));
  d.click("inspector/head/+");
  EXPECT_EQ(d.session.view.head, 1);
  d.click("inspector/head/-");
  EXPECT_EQ(d.session.view.head, 0);
  d.click("pipeline/concat");
  EXPECT_FALSE(d.has("inspector/head/+")) << "concat has no axis of heads";
}

TEST(Inspector, AFeatureStageZoomsOnItsOwn) {
  Driver d(phrase_document("a b c d e", 4));
  d.click("pipeline/input");
  turn_wheel_at(d, d.rect("inspector/picture").center(), 3);
  EXPECT_FALSE(d.session.view.stage_viewport.fitted());
  EXPECT_TRUE(d.session.view.viewport.fitted());
  d.click("pipeline/qkv");
  EXPECT_TRUE(d.session.view.stage_viewport.fitted()) << "another stage begins whole";
}

TEST(Inspector, CopiesTheMatrixThatIsShown) {
  Driver d(phrase_document("a b c", 4));
  d.click("pipeline/key");
  d.click("inspector/head/+");
  d.click("inspector/copy");
  const Tensor key = matrix_at(d.trace().tensor(StageId::key), 0, 1);
  std::istringstream lines(d.clipboard);
  std::string line;
  std::vector<std::vector<std::string>> table;
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, '\t');) cells.push_back(part);
    table.push_back(cells);
  }
  ASSERT_EQ(table.size(), 4u) << d.clipboard;
  for (std::int64_t row = 0; row < 3; ++row) {
    ASSERT_EQ(table[static_cast<std::size_t>(row) + 1].size(), 17u);
    for (std::int64_t column = 0; column < 16; ++column) {
      const std::string& text = table[static_cast<std::size_t>(row) + 1][static_cast<std::size_t>(column) + 1];
      EXPECT_EQ(std::stof(text), key.at({row, column})) << "every bit survives the clipboard";
    }
  }
}

TEST(Inspector, CopiesTheStepsOfTheNumber) {
  Driver d;
  d.click("inspector/picture", 0.1f, 0.9f);
  d.click("inspector/where/copy");
  EXPECT_EQ(d.clipboard.find("weights[0, 0, 4, 0]\t"), 0U) << d.clipboard;
  EXPECT_NE(d.clipboard.find("÷ row sum"), std::string::npos);
}

TEST(Inspector, TakesThePlaceOfTheHeadsAndGivesItBack) {
  Driver d;
  const float narrow = d.rect("inspector").width();
  d.click("inspector/expand");
  EXPECT_GT(d.rect("inspector").width(), narrow + 400);
  EXPECT_FALSE(d.has("heads/0"));
  d.click("inspector/expand");
  EXPECT_TRUE(d.has("heads/0"));
  EXPECT_EQ(d.rect("inspector").width(), narrow);
}

TEST(Inspector, TheTableOfNumbersPicksAndWalks) {
  Driver d(phrase_document("a b c d e", 4), 1600, 1400);
  d.click("pipeline/input");
  ASSERT_TRUE(d.has("inspector/numbers/cells"));
  const Rect cells = d.rect("inspector/numbers/cells");
  d.click_at({cells.min.x + 70, cells.min.y + 20});
  EXPECT_EQ(d.session.view.cell, (Cell{1, 1}));
  d.key(KeyName::down);
  d.key(KeyName::right);
  EXPECT_EQ(d.session.view.cell, (Cell{2, 2}));
  for (int i = 0; i < 70; ++i) d.key(KeyName::right);
  EXPECT_EQ(d.session.view.cell, (Cell{2, 63}));
  EXPECT_GT(d.state.panels.get<ScrollOffsets>().across["inspector/numbers"], 0) << "the table goes along";
}

TEST(Inspector, ScrollsDownToTheNumbersOfALongMatrix) {
  Driver d(phrase_document(words(400), 4));
  d.state.panels.get<ScrollOffsets>().down["inspector"] = 1e9;
  d.step();
  EXPECT_TRUE(d.has("inspector/numbers/cells"));
  const Rect cells = d.rect("inspector/numbers/cells");
  d.click_at({cells.min.x + 10, cells.max.y - 12});
  ASSERT_TRUE(d.session.view.cell);
  EXPECT_GE(d.session.view.cell->row, 398);
}

TEST(Inspector, HoveringLinksToTheChipsAndHeads) {
  Driver d;
  const Rect picture = d.rect("inspector/picture");
  d.move({picture.min.x + picture.width() * 0.3f, picture.min.y + picture.height() * 0.9f});
  d.step(1);
  EXPECT_EQ(d.state.hover.query, 4);
  EXPECT_EQ(d.state.hover.key, 1);
  d.click("pipeline/key");
  d.move(d.rect("inspector/picture").center());
  d.step(1);
  EXPECT_EQ(d.state.hover.query, -1);
  EXPECT_EQ(d.state.hover.key, 2) << "rows of key are key positions";
}

TEST(Inspector, SurvivesEveryStageAtEverySize) {
  for (const char* words_of : {"Hola", "a b c d e"}) {
    Document document = phrase_document(words_of, 4);
    document.request.softcap = 3;
    document.request.dropout = 0.5;
    document.request.mask = {{MaskTerm::Kind::padding, 1, ""}};
    for (const auto& [width, height] :
         std::vector<std::pair<int, int>>{{960, 640}, {1280, 800}, {1600, 1000}, {2560, 1440}}) {
      Driver d(document, width, height);
      for (const Stage& stage : d.trace().stages) {
        d.session.view.stage = stage.id;
        d.session.view.cell = Cell{0, 0};
        d.step(1);
      }
      for (const float scale : {1.5f, 2.0f}) {
        d.set_scale(scale);
        d.step(1);
      }
    }
  }
}

TEST(Inspector, AViewOfAnotherRequestDoesNoHarm) {
  Driver d;
  d.session.view.head = 99;
  d.session.view.batch = 99;
  d.session.view.cell = Cell{99, 99};
  d.session.view.viewport = {50, 50, 3, 3};
  d.session.view.stage_viewport = {500, 500, 1, 1};
  for (const StageId stage : all_stages()) {
    d.session.view.stage = stage;
    d.session.view.quantity = stage;
    d.step(1);
  }
  d.session.view.head = -5;
  d.session.view.batch = -1;
  d.session.view.cell = Cell{-4, -4};
  d.session.view.viewport = {-5, -5, 1e-9, 1e-9};
  d.step(2);
  EXPECT_TRUE(d.has("inspector/picture"));
}

TEST(Inspector, WorksFromTheKeyboardAlone) {
  Driver d;
  d.tab_to("inspector/picture");
  d.key(KeyName::down);
  ASSERT_TRUE(d.session.view.cell) << "the first arrow picks the cell in the middle";
  EXPECT_EQ(d.session.view.cell, (Cell{2, 2}));
  d.key(KeyName::down);
  EXPECT_EQ(d.session.view.cell, (Cell{3, 2}));
}

}  // namespace
}  // namespace headscope::ui
