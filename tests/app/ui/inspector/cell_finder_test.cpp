// Ctrl+F: from cell to cell of the large picture by a condition.
#include "app/ui/inspector/cell_finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

bool says(const Driver& d, const std::string& words) {
  return std::any_of(d.texts.begin(), d.texts.end(), [&](const DrawnText& text) { return text.words == words; });
}

// The cells of head 0 whose weight is above `least`, in the order of reading.
std::vector<Cell> above(Driver& d, float least) {
  std::vector<Cell> cells;
  const Tensor& weights = d.trace().tensor(StageId::weights);
  for (std::int64_t row = 0; row < weights.dim(2); ++row) {
    for (std::int64_t column = 0; column < weights.dim(3); ++column) {
      if (weights.at({0, 0, row, column}) > least) cells.push_back({row, column});
    }
  }
  return cells;
}

TEST(CellFinder, EnterGoesFromMatchToMatch) {
  Driver d(phrase_document(words(12)));
  const std::vector<Cell> cells = above(d, 0.12F);
  ASSERT_GE(cells.size(), 2u);
  d.ctrl(KeyName::f);
  EXPECT_EQ(d.focus(), "inspector/find");
  d.type("> 0.12");
  d.step();
  EXPECT_TRUE(says(d, std::to_string(cells.size()) + " cells"));
  d.key(KeyName::enter);
  d.step();
  EXPECT_EQ(d.session.view.cell, cells[0]);
  EXPECT_TRUE(says(d, "1 of " + std::to_string(cells.size())));
  d.key(KeyName::enter);
  EXPECT_EQ(d.session.view.cell, cells[1]);
  d.key(KeyName::enter, false, true);
  EXPECT_EQ(d.session.view.cell, cells[0]);
  d.key(KeyName::enter, false, true);
  EXPECT_EQ(d.session.view.cell, cells.back()) << "around the end";
  d.click("inspector/find/next");
  EXPECT_EQ(d.session.view.cell, cells[0]);
  d.key(KeyName::escape);
  d.state.focus = "inspector/find";
  d.key(KeyName::escape);
  EXPECT_FALSE(d.has("inspector/find"));
}

TEST(CellFinder, AZoomedPictureMovesToTheMatch) {
  Driver d(phrase_document(words(40), 4));
  d.session.view.viewport = {0, 0, 8, 8};
  d.ctrl(KeyName::f);
  d.type("row max");
  d.step();
  d.key(KeyName::enter, false, true);
  d.step();
  ASSERT_TRUE(d.session.view.cell.has_value());
  EXPECT_EQ(d.session.view.cell->row, 39) << "the last row's largest";
  const Viewport& seen = d.session.view.viewport;
  EXPECT_FALSE(seen.fitted());
  EXPECT_GE(seen.row0 + seen.rows, 40 - 1e-6);
}

TEST(CellFinder, SaysWhatIsNoConditionAndThatThereIsNone) {
  Driver d;
  d.ctrl(KeyName::f);
  d.type("> x");
  d.step();
  EXPECT_TRUE(says(d, "no condition"));
  d.ctrl(KeyName::a);
  d.type("nan");
  d.step();
  EXPECT_TRUE(says(d, "none"));
  const auto before = d.session.view.cell;
  d.key(KeyName::enter);
  EXPECT_EQ(d.session.view.cell, before);
}

}  // namespace
}  // namespace headscope::ui
