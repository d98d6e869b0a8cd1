// Queries and keys of a head as points: each lies where query_key_scatter() puts it, and says what it is.
#include <gtest/gtest.h>

#include <cmath>

#include "core/export/recipe.h"
#include "core/export/session_file.h"
#include "core/heads/query_key_scatter.h"
#include "core/model/capture.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

ViewSpec asked(std::int64_t head) {
  ViewSpec view = view_of(ViewKind::scatter);
  view.head = head;
  return view;
}

struct Mark {
  double x = 0, y = 0;
};

// Middles of the marks of one kind, without the one in the legend, which is the first.
std::vector<Mark> marks_of(const FigurePlan& plan, bool queries) {
  std::vector<Mark> marks;
  if (queries) {
    for (const RectItem& rect : items_of<RectItem>(plan)) {
      if (rect.color == palette(Theme::dark).query)
        marks.push_back({rect.x + rect.width / 2.0, rect.y + rect.height / 2.0});
    }
  } else {
    for (const CornerItem& corner : items_of<CornerItem>(plan)) {
      marks.push_back({corner.x + corner.side / 2.0, corner.y + corner.side / 2.0});
    }
  }
  if (!marks.empty()) marks.erase(marks.begin());
  return marks;
}

TEST(FigureScatter, EveryPointLiesWhereItsNumbersAre) {
  const auto trace = small_trace(7, {{"kv-heads", "2"}});
  const QueryKeyScatter scatter = query_key_scatter(*trace, 0, 3, {});
  const FigurePlan plan = figure_plan(*trace, asked(3), false);
  const std::vector<Mark> queries = marks_of(plan, true), keys = marks_of(plan, false);
  ASSERT_EQ(queries.size(), 7u);
  ASSERT_EQ(keys.size(), 7u);
  // One scale for both axes, up is positive: pixels are proportional to differences.
  const auto check = [&](const Mark& mark, const ScatterPoint& point, const Mark& from, const ScatterPoint& origin,
                         double scale) {
    EXPECT_NEAR(mark.x - from.x, (point.x - origin.x) * scale, 1.5);
    EXPECT_NEAR(mark.y - from.y, (origin.y - point.y) * scale, 1.5);
  };
  const double distance =
      std::hypot(scatter.keys[6].x - scatter.queries[0].x, scatter.keys[6].y - scatter.queries[0].y);
  const double scale = std::hypot(keys[6].x - queries[0].x, keys[6].y - queries[0].y) / distance;
  for (std::size_t i = 0; i < 7; ++i) {
    check(queries[i], scatter.queries[i], queries[0], scatter.queries[0], scale);
    check(keys[i], scatter.keys[i], queries[0], scatter.queries[0], scale);
  }
  EXPECT_TRUE(has_text(plan, "component 1: "));
  EXPECT_TRUE(has_text(plan, "% of the variance"));
  EXPECT_TRUE(has_line(plan, "query"));
  EXPECT_TRUE(has_line(plan, "key"));
  EXPECT_TRUE(has_text(plan, "animal"));
}

TEST(FigureScatter, NamesLieOnNoOtherNameAndWithinTheFrame) {
  const auto trace = small_trace(60);
  const ViewSpec view = asked(1);
  const FigurePlan plan = figure_plan(*trace, view, false);
  const Palette& colors = palette(view.theme);
  std::vector<TextItem> names;
  for (const TextItem& item : items_of<TextItem>(plan)) {
    const bool of_point = (item.color == colors.query || item.color == colors.key) && item.role == FontRole::numbers;
    if (of_point) names.push_back(item);
  }
  EXPECT_GT(names.size(), 10u);
  for (std::size_t a = 0; a < names.size(); ++a) {
    EXPECT_GE(names[a].x, 0);
    EXPECT_LE(names[a].x + drawn_width(names[a].text, names[a].role, names[a].size), plan.width);
    for (std::size_t b = a + 1; b < names.size(); ++b) {
      const bool rows_apart = std::fabs(names[a].y - names[b].y) >= 13;
      const double end_a = names[a].x + drawn_width(names[a].text, names[a].role, names[a].size);
      const double end_b = names[b].x + drawn_width(names[b].text, names[b].role, names[b].size);
      EXPECT_TRUE(rows_apart || end_a <= names[b].x + 1e-6 || end_b <= names[a].x + 1e-6)
          << names[a].text << " " << names[b].text;
    }
  }
  ViewSpec bare = view;
  bare.labels = false;
  for (const TextItem& item : items_of<TextItem>(figure_plan(*trace, bare, false))) {
    EXPECT_FALSE(item.role == FontRole::numbers && (item.color == colors.query || item.color == colors.key))
        << item.text;
  }
}

TEST(FigureScatter, SizesAndRecipe) {
  const auto trace = small_trace(5);
  for (const double scale : {1.0, 2.0}) {
    ViewSpec view = asked(2);
    view.scale = scale;
    const Image image = draw_figure(*trace, view);
    const FigureSize size = figure_size(*trace, view);
    EXPECT_EQ(image.width, size.width);
    EXPECT_EQ(image.height, size.height);
    const SessionFile session = parse_session(recipe_of(*trace, view).at("headscope"), "the recipe");
    EXPECT_TRUE(*session.view == view);
    EXPECT_EQ(draw_figure(*small_trace(5), *session.view).pixels, image.pixels);
  }
}

TEST(FigureScatter, OneTokenAndOneFeatureHaveAPlaceToo) {
  EXPECT_GT(draw_figure(*small_trace(1), asked(0)).height, 0);
  EXPECT_GT(draw_figure(*small_trace(4, {{"heads", "16"}}), asked(15)).height, 0);
}

TEST(FigureScatter, WhatIsNotThereIsRefused) {
  EXPECT_NE(refusal(*small_trace(3), asked(4)).find("--head: 4 asked for, the heads are 0 to 3"), std::string::npos);
  ViewSpec batch = asked(0);
  batch.batch = 1;
  EXPECT_NE(refusal(*small_trace(3), batch).find("--batch"), std::string::npos);
}

}  // namespace
}  // namespace headscope
