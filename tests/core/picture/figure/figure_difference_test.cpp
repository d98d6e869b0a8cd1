// Pictures of A - B and of derivatives.
#include <gtest/gtest.h>

#include <cmath>

#include "core/explain/sensitivity.h"
#include "core/export/recipe.h"
#include "core/export/session_file.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

const MapItem& only_map(const FigurePlan& plan) {
  static std::vector<MapItem> maps;
  maps = items_of<MapItem>(plan);
  EXPECT_EQ(maps.size(), 1U);
  return maps.front();
}

std::string refusal_of(const FigureSource& source, const ViewSpec& view) {
  try {
    figure_size(source, view);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(FigureDifference, is_the_one_less_the_other_around_zero) {
  const auto a = small_trace(5, {{"mask", "causal"}}), b = small_trace(5);
  ViewSpec view = view_of(ViewKind::difference, StageId::weights);
  view.head = 2;
  const FigurePlan plan = figure_plan({*b, a.get()}, view, false);
  const HeatmapSpec& map = only_map(plan).spec;
  double largest = 0;
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 5; ++j) {
      const float expected =
          a->tensor(StageId::weights).at({0, 2, i, j}) - b->tensor(StageId::weights).at({0, 2, i, j});
      EXPECT_EQ(map.matrix.at({i, j}), expected) << i << ' ' << j;
      largest = std::fmax(largest, std::fabs(static_cast<double>(expected)));
    }
  }
  EXPECT_EQ(map.range, (ValueRange{-largest, largest, false, false}));
  EXPECT_EQ(map.map, ColorMap::icefire);
  EXPECT_TRUE(has_line(plan, "A \u2212 B"));
  EXPECT_TRUE(has_text(plan, "A and B: seeded"));
  EXPECT_TRUE(has_line(plan, "A: mask causal"));
  EXPECT_TRUE(has_line(plan, "B: no mask"));
  EXPECT_EQ(items_of<BarItem>(plan).size(), 1U);
  view.theme = Theme::light;
  EXPECT_EQ(only_map(figure_plan({*b, a.get()}, view, false)).spec.map, ColorMap::coolwarm);
  view.colormap = ColorMap::gray;
  EXPECT_EQ(only_map(figure_plan({*b, a.get()}, view, false)).spec.map, ColorMap::gray);
}

TEST(FigureDifference, of_equal_results_says_so) {
  const auto a = small_trace(3), b = small_trace(3);
  const FigurePlan plan = figure_plan({*b, a.get()}, view_of(ViewKind::difference, StageId::output), false);
  EXPECT_TRUE(has_text(plan, "no difference"));
  EXPECT_EQ(only_map(plan).spec.range, (ValueRange{-1, 1, false, false}));
}

TEST(FigureDifference, of_long_texts_says_where_they_part) {
  Request tired = small_request(12), wide = tired;
  tired.phrase = "The animal didn't cross the street because it was too tired";
  wide.phrase = "The animal didn't cross the street because it was too wide";
  const auto a = trace_of(tired), b = trace_of(wide);
  const FigurePlan plan = figure_plan({*b, a.get()}, view_of(ViewKind::difference), false);
  EXPECT_TRUE(has_line(plan, "A: \u201c\u2026 too tired\u201d"));
  EXPECT_TRUE(has_line(plan, "B: \u201c\u2026 too wide\u201d"));
}

TEST(FigureDifference, cells_that_both_hide_are_empty) {
  const auto a = small_trace(4, {{"mask", "causal"}}), b = small_trace(4, {{"mask", "causal"}, {"seed", "3"}});
  const FigurePlan plan = figure_plan({*b, a.get()}, view_of(ViewKind::difference), false);
  const HeatmapSpec& map = only_map(plan).spec;
  ASSERT_NE(map.mask, nullptr);
  EXPECT_EQ(map.mask->hidden.hidden_count(map.batch, map.head), 6);
  EXPECT_TRUE(has_text(plan, "hidden in both, 6 of 16"));
}

TEST(FigureDifference, of_two_texts_names_both_tokens) {
  Request longer = small_request(4);
  longer.phrase += " more";
  Request other = small_request(4);
  other.phrase.replace(0, 3, "one");
  const auto a = trace_of(longer), b = trace_of(other);
  Request changed = small_request(4);
  const FigurePlan plan = figure_plan({*trace_of(changed), b.get()}, view_of(ViewKind::difference), false);
  EXPECT_TRUE(has_line(plan, "one \u2192 the")) << "A's token, then B's";
  const FigurePlan shorter = figure_plan({*trace_of(changed), a.get()}, view_of(ViewKind::difference), false);
  EXPECT_EQ(only_map(shorter).spec.matrix.shape(), (Shape{4, 4}));
}

TEST(FigureDifference, what_cannot_be_subtracted_is_said) {
  const auto a = small_trace(4, {{"softcap", "3"}}), b = small_trace(4, {{"heads", "2"}});
  EXPECT_NE(refusal_of(*b, view_of(ViewKind::difference)).find("--against"), std::string::npos);
  EXPECT_NE(refusal_of({*b, a.get()}, view_of(ViewKind::difference)).find("[1, 4, 4, 4]"), std::string::npos);
  EXPECT_NE(refusal_of({*b, a.get()}, view_of(ViewKind::difference, StageId::capped_scores)).find("only A has"),
            std::string::npos);
  ViewSpec view = view_of(ViewKind::difference);
  view.head = 4;
  EXPECT_NE(refusal_of({*a, a.get()}, view).find("heads 0 to 3"), std::string::npos);
  view.head = 0;
  view.batch = 1;
  EXPECT_NE(refusal_of({*a, a.get()}, view).find("--batch"), std::string::npos);
}

TEST(FigureDifference, its_recipe_holds_both_requests) {
  const auto a = small_trace(4, {{"mask", "causal"}}), b = small_trace(4, {{"seed", "7"}});
  ViewSpec view = view_of(ViewKind::difference, StageId::context);
  view.head = 1;
  view.theme = Theme::light;
  const SessionFile session = parse_session(recipe_of({*b, a.get()}, view).at("headscope"), "the recipe");
  EXPECT_TRUE(session.request == b->request);
  ASSERT_TRUE(session.against);
  EXPECT_TRUE(*session.against == a->request);
  EXPECT_TRUE(*session.view == view);
  const auto again = trace_of(*session.against);
  EXPECT_EQ(draw_figure({*trace_of(session.request), again.get()}, *session.view).pixels,
            draw_figure({*b, a.get()}, view).pixels);
  EXPECT_EQ(recipe_of(*b, view_of(ViewKind::head)).at("headscope").find("against"), std::string::npos);
}

TEST(FigureSensitivity, is_the_derivative_of_the_cell_in_one_range_for_all_heads) {
  const auto trace = small_trace(4);
  ViewSpec view = view_of(ViewKind::sensitivity, StageId::output);
  view.at = {0, 2, 5};
  view.head = 3;
  const Sensitivity found = sensitivity(*trace, StageId::output, {0, 2, 5}, {});
  const FigurePlan plan = figure_plan(*trace, view, false);
  const HeatmapSpec& map = only_map(plan).spec;
  double largest = 0;
  for (const float value : found.weights.values()) largest = std::fmax(largest, std::fabs(static_cast<double>(value)));
  for (std::int64_t j = 0; j < 4; ++j) EXPECT_EQ(map.matrix.at({2, j}), found.weights.at({3, 2, j}));
  EXPECT_EQ(map.range, (ValueRange{-largest, largest, false, false}));
  EXPECT_TRUE(has_line(plan, "d output / d weights"));
  EXPECT_TRUE(has_text(plan, "output[0,2,5]") || has_text(plan, "output[0, 2, 5]"));
  view.by = SensitivityBy::scores;
  EXPECT_EQ(only_map(figure_plan(*trace, view, false)).spec.matrix.at({2, 1}), found.scores.at({3, 2, 1}));
  const SessionFile session = parse_session(recipe_of(*trace, view).at("headscope"), "the recipe");
  EXPECT_TRUE(*session.view == view);
}

TEST(FigureSensitivity, a_weight_is_derived_by_scores_unless_said_otherwise) {
  const auto trace = small_trace(4);
  ViewSpec view = view_of(ViewKind::sensitivity);
  view.at = {0, 1, 2, 3};
  view.head = 1;
  EXPECT_TRUE(has_line(figure_plan(*trace, view, false), "d weights / d scores"));
}

TEST(FigureSensitivity, what_cannot_be_derived_is_said) {
  const auto trace = small_trace(4);
  ViewSpec view = view_of(ViewKind::sensitivity, StageId::output);
  EXPECT_NE(refusal(*trace, view).find("--at: found 0 numbers"), std::string::npos);
  view.at = {0, 4, 0};
  EXPECT_NE(refusal(*trace, view).find("--at: 4 asked for on axis 1"), std::string::npos);
  view.at = {0, 0, 0};
  view.head = 4;
  EXPECT_NE(refusal(*trace, view).find("--head"), std::string::npos);
  view.head = 0;
  view.stage = StageId::input;
  EXPECT_NE(refusal(*trace, view).find("--by: input"), std::string::npos);
  view.stage = StageId::dropped_weights;
  EXPECT_NE(refusal(*trace, view).find("--stage"), std::string::npos);
}

}  // namespace
}  // namespace headscope
