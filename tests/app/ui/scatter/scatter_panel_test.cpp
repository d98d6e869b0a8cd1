// The view 'scatter': points that pick rows and columns of the map beside them, and what the map says back.
#include "app/ui/scatter/scatter_panel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/widgets/widgets.h"
#include "core/heads/query_key_scatter.h"
#include "core/request/request_text.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

class ScatterPanel : public testing::Test {
 protected:
  ScatterPanel() : d(phrase_document(kTwelve)) {
    d.session.view.head = 2;
    d.session.view.stage = StageId::weights;
    d.key(KeyName::j, true, true);
    d.step(4);
  }
  ViewState& view() { return d.session.view; }
  QueryKeyScatter computed(std::int64_t head) { return query_key_scatter(d.trace(), 0, head, {}); }
  const ScatterLayout& layout() { return d.state.panels.get<ScatterPanelState>().layout; }
  bool shows(const std::string& words) {
    return std::any_of(d.texts.begin(), d.texts.end(),
                       [&](const DrawnText& text) { return text.words.find(words) != std::string::npos; });
  }
  // The middle of a mark on the screen.
  ImVec2 place(bool query, std::int64_t index) {
    const ImVec2 corner = d.rect(kScatterPlot).min;
    for (const ScatterLayout::Mark& mark : layout().marks) {
      if (mark.query == query && mark.index == index) return {corner.x + mark.x, corner.y + mark.y};
    }
    ADD_FAILURE() << "no mark " << index;
    return {};
  }
  // The mark that has no other near it, so that the mouse means it.
  std::int64_t lonely(bool query) {
    double best = 0;
    std::int64_t found = 0;
    for (const ScatterLayout::Mark& mark : layout().marks) {
      double nearest = 1e9;
      for (const ScatterLayout::Mark& other : layout().marks) {
        if (&other == &mark) continue;
        nearest =
            std::min(nearest, std::hypot(static_cast<double>(mark.x - other.x), static_cast<double>(mark.y - other.y)));
      }
      if (mark.query == query && nearest > best) best = nearest, found = mark.index;
    }
    return found;
  }
  Driver d;
};

TEST_F(ScatterPanel, PointsLieWhereTheirNumbersAre) {
  EXPECT_EQ(view().main_view, MainView::scatter);
  EXPECT_EQ(d.focus(), kScatterPlot);
  const QueryKeyScatter scatter = computed(2);
  ASSERT_EQ(layout().marks.size(), 24U);
  const ImVec2 a = place(true, 0), b = place(false, 11);
  const double dx = scatter.keys[11].x - scatter.queries[0].x, dy = scatter.keys[11].y - scatter.queries[0].y;
  const double scale = std::hypot(static_cast<double>(b.x - a.x), static_cast<double>(b.y - a.y)) / std::hypot(dx, dy);
  for (std::int64_t i = 0; i < 12; ++i) {
    for (const bool query : {true, false}) {
      const ScatterPoint& point = (query ? scatter.queries : scatter.keys)[static_cast<std::size_t>(i)];
      const ImVec2 at = place(query, i);
      EXPECT_NEAR(static_cast<double>(at.x - a.x), (point.x - scatter.queries[0].x) * scale, 0.5);
      EXPECT_NEAR(static_cast<double>(a.y - at.y), (point.y - scatter.queries[0].y) * scale, 0.5);
    }
  }
  EXPECT_TRUE(shows(fmt::format("component 1: {:.1f} %", 100 * scatter.share[0])));
  EXPECT_TRUE(shows(fmt::format("component 2: {:.1f} % of the variance", 100 * scatter.share[1])));
  EXPECT_TRUE(shows("animal"));
}

TEST_F(ScatterPanel, APointPicksARowAndAnotherAColumn) {
  const std::int64_t query = lonely(true), key = lonely(false);
  d.click_at(place(true, query));
  d.step(2);
  ASSERT_TRUE(view().cell);
  EXPECT_EQ(view().cell->row, query);
  const Tensor& weights = d.trace().tensor(StageId::weights);
  for (std::int64_t j = 0; j < 12; ++j) {
    EXPECT_LE(weights.at({0, 2, query, j}), weights.at({0, 2, query, view().cell->column})) << "its strongest key";
  }
  d.click_at(place(false, key));
  d.step(2);
  EXPECT_EQ(view().cell, (Cell{query, key}));
  EXPECT_TRUE(d.has("scatter/picked/query"));
  EXPECT_TRUE(d.has("scatter/picked/key"));
  EXPECT_TRUE(d.has("scatter/line"));
  const auto number = [&](StageId stage) {
    return number_label(static_cast<double>(d.trace().tensor(stage).at({0, 2, query, key})), 4);
  };
  EXPECT_TRUE(shows("score " + number(StageId::scores) + "   weight " + number(StageId::weights)));
  const QueryKeyScatter scatter = computed(2);
  const ScatterPoint& point = scatter.keys[static_cast<std::size_t>(key)];
  EXPECT_TRUE(shows(fmt::format("({}, {})", number_label(point.x, 3), number_label(point.y, 3))));
}

TEST_F(ScatterPanel, TheMouseOnAPointMarksTheMap) {
  const std::int64_t query = lonely(true), key = lonely(false);
  d.move(place(true, query));
  d.step(2);
  EXPECT_EQ(d.state.hover.query, query);
  EXPECT_EQ(d.state.hover.key, -1) << "a query alone is a row";
  EXPECT_TRUE(d.has("scatter/hovered/query"));
  EXPECT_FALSE(d.has("scatter/hovered/key"));
  d.move(place(false, key));
  d.step(2);
  EXPECT_EQ(d.state.hover.key, key);
  EXPECT_EQ(d.state.hover.query, -1);
  EXPECT_FALSE(view().cell.has_value()) << "pointing picks nothing";
}

TEST_F(ScatterPanel, ACellOfTheMapRingsItsTwoPoints) {
  EXPECT_FALSE(d.has("scatter/line"));
  const Rect map = d.rect(kScatterMap);
  d.move({map.min.x + map.width() * 1.5f / 12, map.min.y + map.height() * 7.5f / 12});
  d.step(2);
  EXPECT_EQ(d.state.hover.query, 7);
  EXPECT_EQ(d.state.hover.key, 1);
  const Rect query = d.rect("scatter/hovered/query"), line = d.rect("scatter/line");
  EXPECT_NEAR(query.min.x, place(true, 7).x, 0.01f);
  EXPECT_NEAR(d.rect("scatter/hovered/key").min.y, place(false, 1).y, 0.01f);
  EXPECT_NEAR(line.width(), std::fabs(place(true, 7).x - place(false, 1).x), 0.01f);
  d.click(kScatterMap, 1.5f / 12, 7.5f / 12);
  EXPECT_EQ(view().cell, (Cell{7, 1}));
}

TEST_F(ScatterPanel, ArrowsMoveThePairAndDigitsSwitchHeads) {
  d.key(KeyName::right);
  ASSERT_TRUE(view().cell) << "the first arrow picks the last query with its strongest key";
  EXPECT_EQ(view().cell->row, 11);
  view().cell = Cell{5, 4};
  d.step(2);
  d.key(KeyName::right);
  EXPECT_EQ(view().cell, (Cell{5, 5}));
  d.key(KeyName::up);
  d.key(KeyName::up);
  d.key(KeyName::left);
  EXPECT_EQ(view().cell, (Cell{3, 4}));
  view().cell = Cell{0, 11};
  d.step(2);
  d.key(KeyName::up);
  d.key(KeyName::right);
  EXPECT_EQ(view().cell, (Cell{0, 11})) << "the last is the last";
  const int before = d.state.panels.get<ScatterPanelState>().layouts_made;
  d.key(KeyName::four);
  d.step(3);
  EXPECT_EQ(view().head, 3);
  EXPECT_TRUE(shows(fmt::format("component 1: {:.1f} %", 100 * computed(3).share[0])));
  EXPECT_EQ(d.state.panels.get<ScatterPanelState>().layouts_made, before + 1);
}

TEST_F(ScatterPanel, SwitchesTakeMarksAndNamesAway) {
  EXPECT_GT(layout().names.size(), 10U);
  const ImVec2 before = place(true, 3);
  d.click("scatter/keys", 0.1f);
  d.step(2);
  EXPECT_FALSE(view().scatter.keys);
  EXPECT_EQ(layout().marks.size(), 12U);
  EXPECT_NEAR(place(true, 3).x, before.x, 0.01f) << "the plane stays";
  d.click("scatter/names", 0.1f);
  d.step(2);
  EXPECT_TRUE(layout().names.empty());
  d.click("scatter/queries", 0.1f);
  d.step(2);
  EXPECT_TRUE(layout().marks.empty());
}

TEST_F(ScatterPanel, MovingTheMouseLaysOutNothing) {
  const ScatterPanelState& state = d.state.panels.get<ScatterPanelState>();
  const int before = state.layouts_made;
  for (std::int64_t i = 0; i < 12; ++i) d.move(place(true, i));
  d.click_at(place(false, 3));
  d.step(3);
  EXPECT_EQ(state.layouts_made, before);
  d.resize(1400, 900);
  d.step(3);
  EXPECT_EQ(state.layouts_made, before + 1);
}

TEST_F(ScatterPanel, AFeatureThatIsPickedStaysUntilACellOfTheMapIs) {
  view().stage = StageId::context;
  view().cell = Cell{1, 2};
  d.step(3);
  EXPECT_FALSE(d.has("scatter/picked/query")) << "a feature is no key";
  EXPECT_EQ(view().cell, (Cell{1, 2}));
  EXPECT_EQ(view().stage, StageId::context);
  d.click(kScatterMap, 2.5f / 12, 4.5f / 12);
  d.step(2);
  EXPECT_EQ(view().stage, StageId::weights);
  EXPECT_EQ(view().cell, (Cell{4, 2}));
}

TEST_F(ScatterPanel, ATallWindowHasTheMapBelow) {
  EXPECT_GT(d.rect(kScatterMap).min.x, d.rect(kScatterPlot).max.x);
  d.resize(960, 1600);
  d.step(4);
  EXPECT_GT(d.rect(kScatterMap).min.y, d.rect(kScatterPlot).max.y);
}

TEST_F(ScatterPanel, VectorsThatAreNotFiniteAreLeftOutAndSaid) {
  find_request_option("edit")->set(d.session.draft, "query:0,2,3,0=inf");
  d.step(5);
  ASSERT_EQ(computed(2).left_out, 1);
  EXPECT_EQ(layout().marks.size(), 23U);
  EXPECT_TRUE(shows("1 vector is left out: it holds a number that is not finite."));
  view().cell = Cell{3, 1};
  d.step(2);
  EXPECT_FALSE(d.has("scatter/picked/query")) << "it has no place";
  EXPECT_TRUE(shows("not finite"));
}

TEST_F(ScatterPanel, LeavingLetsThePointsGo) {
  d.key(KeyName::escape);
  d.step(2);
  EXPECT_EQ(view().main_view, MainView::layer);
  const ScatterPanelState* const state = d.state.panels.find<ScatterPanelState>();
  EXPECT_TRUE(state == nullptr || state->last == nullptr);
}

TEST(ScatterSize, ThousandsOfMarksHaveFewCornersAndNoNames) {
  Driver d(phrase_document(words(2500), 1, 8));
  d.session.view.main_view = MainView::scatter;
  d.step(6);
  ASSERT_TRUE(d.has(kScatterPlot));
  const ScatterPanelState& state = d.state.panels.get<ScatterPanelState>();
  EXPECT_EQ(state.layout.marks.size(), 5000U);
  EXPECT_TRUE(state.layout.names.empty());
  EXPECT_EQ(state.layout.without, 5000U);
  // Four corners a square, three a triangle, and not many times more for all the rest.
  EXPECT_LT(ImGui::GetDrawData()->TotalVtxCount, 7 * 2500 + 40'000);
  const int before = state.layouts_made;
  const Rect plot = d.rect(kScatterPlot);
  for (int k = 1; k < 5; ++k) d.move({plot.min.x + static_cast<float>(k) * 40, plot.center().y});
  d.state.focus = kScatterPlot;
  d.key(KeyName::down);
  d.step(2);
  EXPECT_EQ(state.layouts_made, before);
  EXPECT_TRUE(d.session.view.cell.has_value());
}

}  // namespace
}  // namespace headscope::ui
