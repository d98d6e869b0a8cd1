// The view 'score': who wrote what the query and the key of a cell meet in.
#include "app/ui/score/score_panel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/base/grouped_digits.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

class ScorePanel : public testing::Test {
 protected:
  ScorePanel() : d(open_document("demo:induction", Request(), ViewState())) {
    d.session.draft.phrase = "cat box ink fox jam cat";
    d.session.draft.layer = 1;
    d.session.view.head = 7;
    d.session.view.cell = Cell{5, 1};
    d.step(4);
    d.key(KeyName::y, true, true);
    d.step(4);
  }
  ScoreView& view() { return d.session.view.score; }
  ScoreWriters computed(AttributionBy by = AttributionBy::heads) {
    const Cell cell = *d.session.view.cell;
    return score_writers(*d.trace().model, {d.session.view.head, cell.row, cell.column, by}, CancelToken());
  }
  bool shows(const std::string& words) {
    return std::any_of(d.texts.begin(), d.texts.end(),
                       [&](const DrawnText& text) { return text.words.find(words) != std::string::npos; });
  }
  Driver d;
};

std::size_t largest_of(const ScoreWriters& found) {
  const auto at = std::max_element(found.terms.begin(), found.terms.end(),
                                   [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  return static_cast<std::size_t>(at - found.terms.begin());
}

TEST_F(ScorePanel, TheSumStandsBesideTheModelsOwnScore) {
  EXPECT_EQ(d.session.view.main_view, MainView::score);
  EXPECT_EQ(d.focus(), kScoreGrid);
  const ScoreWriters found = computed();
  const auto pairs = static_cast<std::int64_t>(found.terms.size());
  EXPECT_TRUE(d.has(fmt::format("score/line: sum of {} pairs {}", grouped_digits(pairs), number_label(found.sum, 6))));
  EXPECT_TRUE(d.has("score/line: the model's own score " + number_label(found.total, 6)));
  const double weight = static_cast<double>(d.trace().tensor(StageId::weights).at({0, 7, 5, 1}));
  EXPECT_TRUE(d.has("score/line: attention weight " + number_label(weight, 4)));
}

TEST_F(ScorePanel, TheStrongestPairIsPickedFirst) {
  const ScoreWriters found = computed();
  const std::size_t at = largest_of(found);
  const std::string query = score_writer_name(found.queries[at / found.keys.size()]);
  const std::string key = score_writer_name(found.keys[at % found.keys.size()]);
  EXPECT_EQ(key, "layer 0, head 5") << "it looks at the token before";
  EXPECT_TRUE(
      d.has(fmt::format("score/readout: {} at cat  ×  {} at box {}", query, key, number_label(found.terms[at], 4))));
  EXPECT_FALSE(view().pair.has_value());
  d.click("score/by", 0.25f);
  d.step(4);
  EXPECT_EQ(view().by, AttributionBy::components);
  const ScoreWriters whole = computed(AttributionBy::components);
  ASSERT_LT(whole.terms.size(), found.terms.size());
  EXPECT_TRUE(d.has("score/readout: embedding at cat  ×  layer 0, attention at box " +
                    number_label(whole.terms[largest_of(whole)], 4)));
}

TEST_F(ScorePanel, ArrowsPickAPairAndEnterOpensTheWriterAtTheKey) {
  const ScoreWriters found = computed();
  const auto head =
      std::find_if(found.keys.begin(), found.keys.end(), [](const ScoreWriter& writer) { return writer.head == 5; });
  view().pair = Cell{0, head - found.keys.begin() - 1};
  d.state.focus = kScoreGrid;
  d.step(2);
  d.key(KeyName::right);
  d.step(2);
  EXPECT_EQ(view().pair, (Cell{0, head - found.keys.begin()}));
  d.key(KeyName::enter);
  d.step(4);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.draft.layer, 0);
  EXPECT_EQ(d.session.view.head, 5);
}

TEST_F(ScorePanel, AnotherCellOfTheMapIsAnotherScore) {
  const std::string before = number_label(computed().total, 6);
  d.state.focus = "score/weights";
  d.key(KeyName::left);
  d.step(4);
  EXPECT_EQ(d.session.view.cell, (Cell{5, 0}));
  const std::string after = number_label(computed().total, 6);
  EXPECT_NE(before, after);
  EXPECT_TRUE(d.has("score/line: the model's own score " + after));
}

TEST_F(ScorePanel, APairOfTheListIsPicked) {
  d.click("score/pair/2");
  const ScoreWriters found = computed();
  std::vector<double> sizes;
  for (const double term : found.terms) sizes.push_back(std::fabs(term));
  std::sort(sizes.rbegin(), sizes.rend());
  ASSERT_TRUE(view().pair.has_value());
  EXPECT_EQ(
      std::fabs(found.term(static_cast<std::size_t>(view().pair->row), static_cast<std::size_t>(view().pair->column))),
      sizes[2]);
}

TEST_F(ScorePanel, LayerAndHeadAreChosenHere) {
  d.click("score/layer/-");
  d.step(4);
  EXPECT_EQ(d.session.draft.layer, 0);
  EXPECT_EQ(d.session.view.main_view, MainView::score);
  const ScoreWriters found = computed();
  for (const ScoreWriter& writer : found.keys) EXPECT_FALSE(writer.head.has_value()) << "no layer before";
  EXPECT_TRUE(d.has("score/line: the model's own score " + number_label(found.total, 6)));
  d.click("score/head/-");
  d.step(4);
  EXPECT_EQ(d.session.view.head, 6);
}

TEST_F(ScorePanel, SaysWhyThereIsNone) {
  NumberEdit edit;
  edit.tensor = "scores";
  edit.index = {0, 7, 5, 1};
  edit.value = 3;
  d.session.draft.edits.push_back(edit);
  d.step(6);
  EXPECT_TRUE(shows("other numbers in scores of this layer"));
}

}  // namespace
}  // namespace headscope::ui
