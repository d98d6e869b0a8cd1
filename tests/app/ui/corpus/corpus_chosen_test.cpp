// Heads are chosen by a line around points, by the field, and one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "core/corpus/corpus_report.h"
#include "tests/app/session/corpus_files.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

class CorpusChosen : public testing::Test {
 protected:
  CorpusChosen() {
    d.drop(test::write_scanned(folder, "all", true));
    d.step(4);
  }
  CorpusView& view() { return d.session.view.corpus; }
  CorpusPanelState& panel() { return d.state.panels.get<CorpusPanelState>(); }

  // Draws a line through corners, in pixels from the corner of the plane.
  void draw_line(const std::vector<ImVec2>& corners) {
    const Rect plot = d.rect(kCorpusScatter);
    d.move({plot.min.x + corners[0].x, plot.min.y + corners[0].y});
    ImGui::GetIO().MouseClickedTime[0] = -10;  // no double click
    d.button(0, true);
    for (const ImVec2& corner : corners) d.move({plot.min.x + corner.x, plot.min.y + corner.y});
    d.button(0, false);
    d.step(2);
  }

  // A place of the plane without a point nearby.
  ImVec2 empty_place() {
    ImVec2 empty{3, 3};
    while (nearest_point(panel().plot.points, empty.x, empty.y, 20)) empty.x += 5;
    return empty;
  }

  // The heads whose means lie left of the plane's share x, by the table alone.
  std::vector<LayerHead> left_of(double share) {
    const HeadTable table = head_table(test::scanned_lines());
    std::vector<LayerHead> heads;
    for (std::size_t k = 0; k < table.heads.size(); ++k) {
      const double x = table.mean(*table.mean_named(view().x), k), y = table.mean(*table.mean_named(view().y), k);
      if (!std::isfinite(x) || !std::isfinite(y) || panel().plot.x_axis.share(x) >= share) continue;
      heads.push_back({table.heads[k].layer, table.heads[k].head});
    }
    return heads;
  }

  TemporaryFolder folder;
  Driver d;
};

TEST_F(CorpusChosen, ALineChoosesTheHeadsInside) {
  const Rect plot = d.rect(kCorpusScatter);
  const float half = std::round(plot.width() * 0.5f);
  draw_line({{1, 1}, {half, 1}, {half, plot.height() - 1}, {1, plot.height() - 1}});
  const std::vector<LayerHead> expected = left_of(static_cast<double>(half / plot.width()));
  ASSERT_FALSE(expected.empty());
  ASSERT_LT(expected.size(), 16U);
  EXPECT_EQ(view().chosen, expected);
  EXPECT_EQ(view().side, CorpusSide::chosen) << "they are listed";
  EXPECT_EQ(d.names("corpus/listed/").size(), expected.size());
  EXPECT_FALSE(d.names("corpus/heads_fact: 16 \u00b7 " + std::to_string(expected.size()) + " chosen").empty());
  EXPECT_EQ(view().head, std::nullopt) << "the end of a line picks no head";
}

TEST_F(CorpusChosen, WithShiftALineAdds) {
  view().chosen = {{1, 7}};
  const Rect plot = d.rect(kCorpusScatter);
  d.shift_held = true;
  draw_line({{1, 1}, {plot.width() * 0.3f, 1}, {1, plot.height() - 1}});
  EXPECT_NE(std::find(view().chosen.begin(), view().chosen.end(), LayerHead{1, 7}), view().chosen.end());
  d.shift_held = false;
  const ImVec2 none = empty_place();
  draw_line({none, {none.x + 9, none.y}, {none.x + 9, none.y + 9}});
  EXPECT_TRUE(view().chosen.empty()) << "an empty line in their place";
}

TEST_F(CorpusChosen, AClickOnNothingAndEscForgetThem) {
  view().chosen = {{0, 1}, {1, 7}};
  d.step(2);
  const Rect plot = d.rect(kCorpusScatter);
  const ImVec2 empty = empty_place();
  d.click_at({plot.min.x + empty.x, plot.min.y + empty.y});
  d.step(2);
  EXPECT_TRUE(view().chosen.empty());
  view().chosen = {{0, 1}, {1, 7}};
  d.step(2);
  d.click(kCorpusGrid);
  d.key(KeyName::escape);
  EXPECT_TRUE(view().chosen.empty());
  EXPECT_EQ(d.session.view.main_view, MainView::corpus) << "one Esc forgets them, the next leaves";
  d.key(KeyName::escape);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
}

TEST_F(CorpusChosen, SpaceChoosesThePickedHeadAndForgetsIt) {
  d.click("corpus/cell/1.2");
  d.key(KeyName::space);
  EXPECT_EQ(view().chosen, (std::vector<LayerHead>{{1, 2}}));
  d.key(KeyName::up);
  d.key(KeyName::space);
  EXPECT_EQ(view().chosen, (std::vector<LayerHead>{{0, 2}, {1, 2}}));
  d.key(KeyName::space);
  EXPECT_EQ(view().chosen, (std::vector<LayerHead>{{1, 2}}));
}

TEST_F(CorpusChosen, TheFieldChoosesByNameAndByMean) {
  d.click(kCorpusFind);
  d.type("1.2");
  d.step(2);
  EXPECT_EQ(view().head, (Cell{1, 2})) << "one head is picked, too";
  EXPECT_EQ(view().chosen, (std::vector<LayerHead>{{1, 2}}));
  d.ctrl(KeyName::a);
  d.type("entropy < 1");
  d.step(2);
  const HeadTable table = head_table(test::scanned_lines());
  std::vector<LayerHead> expected;
  for (std::size_t k = 0; k < table.heads.size(); ++k) {
    if (table.mean(CorpusMetric::entropy, k) < 1) expected.push_back({table.heads[k].layer, table.heads[k].head});
  }
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(view().chosen, expected);
  d.ctrl(KeyName::a);
  d.type("entropy < one");
  d.step(2);
  EXPECT_FALSE(d.names("corpus/fact: entropy < one: expected a number").empty()) << "said in the header";
  d.ctrl(KeyName::a);
  d.type("1.*");
  d.key(KeyName::enter);
  EXPECT_EQ(view().head->row, 1) << "Enter picks the next chosen head";
}

TEST_F(CorpusChosen, TheListIsCopiedAndPicks) {
  view().chosen = {{0, 3}, {1, 2}, {9, 9}};
  view().side = CorpusSide::chosen;
  d.step(2);
  EXPECT_EQ(d.names("corpus/listed/").size(), 2U) << "9.9 is of another file";
  d.click("corpus/listed/1.2");
  EXPECT_EQ(view().head, (Cell{1, 2}));
  d.key(KeyName::up);
  EXPECT_EQ(view().head, (Cell{0, 3}));
  d.click("corpus/chosen_copy");
  d.step(2);
  const HeadTable table = head_table(test::scanned_lines());
  const std::vector<std::size_t> heads = {*table.find(0, 3), *table.find(1, 2)};
  EXPECT_EQ(d.clipboard, heads_csv(table, heads));
  EXPECT_EQ(std::count(d.clipboard.begin(), d.clipboard.end(), '\n'), 3);
  d.click("corpus/chosen_clear");
  d.step(2);
  EXPECT_TRUE(view().chosen.empty());
}

}  // namespace
}  // namespace headscope::ui
