// Lines from queries to keys, and one query's features.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <sstream>

#include "core/explain/neurons.h"
#include "core/heads/arcs.h"
#include "core/picture/arc_style.h"
#include "core/picture/figure/curve.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/figure/xml_check.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

int elements(const FigureDocument& figure, const std::string& name, const std::string& attribute) {
  std::ostringstream out;
  figure.write(out, {}, {});
  const XmlReader reader(out.str());
  return static_cast<int>(std::count_if(reader.elements().begin(), reader.elements().end(), [&](const auto& each) {
    return each.name == name && each.attributes.count(attribute) != 0;
  }));
}

TEST(Arcs, every_link_is_a_curve_and_no_other) {
  const auto trace = small_trace(9, {{"mask", "causal"}, {"init-gain", "3"}});
  ViewSpec view = view_of(ViewKind::arcs);
  view.hide_below = 0.1;
  view.heads_shown = {1, 3};
  const Arcs arcs = strongest_arcs(*trace, {0, {1, 3}, {0, 9}, {0, 9}, 0.1, 10000});
  const auto curves = items_of<CurveItem>(figure_plan(*trace, view, false));
  ASSERT_EQ(std::ssize(curves), std::ssize(arcs.arcs));
  ASSERT_GT(curves.size(), 10u);
  // The strongest lies on top, in its head's colour.
  const Rgba color = head_color(arcs.arcs.front().head);
  EXPECT_EQ((Rgba{curves.back().color.r, curves.back().color.g, curves.back().color.b, 255}), color);
  EXPECT_EQ(elements(figure_svg(*trace, view), "path", "stroke-width"), static_cast<int>(curves.size()));
  view.heads_shown = std::vector<std::int64_t>{};
  EXPECT_TRUE(items_of<CurveItem>(figure_plan(*trace, view, false)).empty());
  view.heads_shown.reset();
  view.hide_below = 0;
  EXPECT_EQ(std::ssize(items_of<CurveItem>(figure_plan(*trace, view, false))), 4 * 45);
}

TEST(Arcs, the_chosen_query_is_bright_and_comes_last) {
  const auto trace = small_trace(8, {{"init-gain", "3"}});
  ViewSpec view = view_of(ViewKind::arcs);
  view.hide_below = 0.01;
  view.token = 5;
  const FigurePlan plan = figure_plan(*trace, view, false);
  const auto own = strongest_arcs(*trace, {0, {0, 1, 2, 3}, {5, 6}, {0, 8}, 0.01, 10000}).arcs;
  const auto curves = items_of<CurveItem>(plan);
  ASSERT_GT(curves.size(), own.size());
  const std::vector<ArcPlace> places = places_side_by_side(own, 28);
  for (std::size_t k = 0; k < own.size(); ++k) {
    const CurveItem& curve = curves[curves.size() - 1 - k];
    const ArcStyle style = arc_style(static_cast<double>(own[k].weight), ArcTone::bright, 28);
    EXPECT_DOUBLE_EQ(curve.width, places[k].width);
    EXPECT_EQ(curve.color.a, std::lround(255 * style.opacity));
  }
  EXPECT_TRUE(has_text(plan, "(query 5)"));
}

// More arcs than are drawn: the picture says so, and the chosen query's own are all there.
TEST(Arcs, too_many_arcs_are_cut_to_the_strongest) {
  const auto trace = small_trace(40);
  ViewSpec view = view_of(ViewKind::arcs);
  view.hide_below = 0;
  const FigurePlan plan = figure_plan(*trace, view, false);
  EXPECT_EQ(std::ssize(items_of<CurveItem>(plan)), kMostArcs);
  EXPECT_TRUE(has_text(plan, "the 1,000 strongest of 6,400"));
  view.token = 3;
  const auto curves = items_of<CurveItem>(figure_plan(*trace, view, false));
  const double bright = arc_style(0, ArcTone::bright, 28).opacity * 255 - 1;
  EXPECT_LT(arc_style(1, ArcTone::dim, 28).opacity * 255, bright) << "the strongest dim one";
  EXPECT_EQ(std::count_if(curves.begin(), curves.end(), [&](const CurveItem& c) { return c.color.a > bright; }),
            4 * 40);
}

TEST(Arcs, bright_ones_between_two_tokens_lie_side_by_side_as_wide_as_their_weights) {
  // Heads 4, 0 and 2 between the same tokens, and one arc elsewhere.
  const std::vector<Arc> arcs = {{4, 1, 3, 0.9f}, {0, 1, 3, 0.5f}, {2, 1, 3, 0.25f}, {0, 1, 2, 0.3f}};
  const std::vector<ArcPlace> places = places_side_by_side(arcs, 28);
  ASSERT_EQ(places.size(), 4u);
  const double unit = places[0].width / static_cast<double>(arcs[0].weight);
  double total = 0;
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(places[k].width, unit * static_cast<double>(arcs[k].weight), 1e-9);
  for (std::size_t k = 0; k < 3; ++k) total += places[k].width;
  EXPECT_LE(total, 28);
  // Heads 0, 2, 4 from above; the lower edge of one is the upper edge of the next.
  EXPECT_NEAR(places[1].offset - places[1].width / 2, -total / 2, 1e-9);
  EXPECT_NEAR(places[1].offset + places[1].width / 2, places[2].offset - places[2].width / 2, 1e-9);
  EXPECT_NEAR(places[2].offset + places[2].width / 2, places[0].offset - places[0].width / 2, 1e-9);
  EXPECT_NEAR(places[3].offset, 0, 1e-9) << "alone between its tokens";
  EXPECT_NEAR(places_side_by_side({{0, 0, 0, 1.0f}}, 28)[0].width, 8, 1e-9);
  EXPECT_NEAR(places_side_by_side({{0, 0, 0, 1.0f}}, 4)[0].width, 3.4, 1e-9) << "lower rows";
  EXPECT_TRUE(places_side_by_side({}, 28).empty());
}

TEST(Arcs, sentences_limit_queries_and_keys) {
  Request request = small_request(1);
  request.phrase = "a b [SEP] c d";
  const auto trace = trace_of(request);
  ViewSpec view = view_of(ViewKind::arcs);
  view.hide_below = 0;
  view.sentences = SentencePair::a_to_b;
  EXPECT_EQ(std::ssize(items_of<CurveItem>(figure_plan(*trace, view, false))), 4 * 3 * 2);
  EXPECT_NE(refusal(*small_trace(4), view).find("--sentences"), std::string::npos);
}

TEST(Arcs, what_the_trace_does_not_have_is_refused) {
  const auto trace = small_trace(4);
  ViewSpec view = view_of(ViewKind::arcs);
  view.token = 4;
  EXPECT_NE(refusal(*trace, view).find("--token"), std::string::npos);
  view.token.reset();
  view.heads_shown = {0, 4};
  EXPECT_NE(refusal(*trace, view).find("--heads-shown"), std::string::npos);
  view = view_of(ViewKind::neurons);
  view.head = 4;
  EXPECT_NE(refusal(*trace, view).find("--head"), std::string::npos);
  view.head = 0;
  view.token = 9;
  EXPECT_NE(refusal(*trace, view).find("--token"), std::string::npos);
}

TEST(NeuronsFigure, shows_scores_weights_and_features) {
  const auto trace = small_trace(5, {{"mask", "causal"}});
  ViewSpec view = view_of(ViewKind::neurons);
  view.head = 2;
  view.token = 3;
  const FigurePlan plan = figure_plan(*trace, view, false);
  const Neurons neurons = neurons_of(*trace, 0, 2, 3, {0, 5});
  const auto maps = items_of<MapItem>(plan);
  ASSERT_EQ(maps.size(), 6u);  // the query and five keys
  EXPECT_EQ(maps[0].spec.matrix.values(), neurons.query_features.values());
  EXPECT_EQ(maps[3].spec.matrix.values(), neurons.key_features.sliced(0, 2, 3).values());
  for (std::size_t j = 0; j < 4; ++j) {
    char text[16];
    std::snprintf(text, sizeof text, "%.4f", static_cast<double>(neurons.weights[j]));
    EXPECT_TRUE(has_line(plan, text)) << text;
  }
  EXPECT_TRUE(has_line(plan, "hidden"));
  EXPECT_TRUE(has_line(plan, "row sum 1.0000"));
  EXPECT_TRUE(has_line(plan, "sum / \u221a4"));
  EXPECT_GT(elements(figure_svg(*trace, view), "rect", "x"), 20);
}

TEST(Curve, begins_and_ends_level_and_grows_steadily) {
  CurveItem curve;
  curve.x0 = 10;
  curve.y0 = 5;
  curve.x1 = 90;
  curve.y1 = 45;
  EXPECT_DOUBLE_EQ(curve_at(curve, 10).y, 5);
  EXPECT_DOUBLE_EQ(curve_at(curve, 90).y, 45);
  EXPECT_NEAR(curve_at(curve, 50).y, 25, 1e-9);
  EXPECT_NEAR(curve_at(curve, 10).slope, 0, 1e-9);
  EXPECT_NEAR(curve_at(curve, 90).slope, 0, 1e-9);
  for (double x = 10; x < 89; x += 1) {
    EXPECT_GT(curve_at(curve, x + 1).y, curve_at(curve, x).y);
    // The cubic itself, at the t that gives this x.
    const CurvePoint point = curve_at(curve, x);
    EXPECT_NEAR(point.slope, (curve_at(curve, x + 1e-4).y - point.y) / 1e-4, 1e-2);
  }
}

TEST(Curve, covers_its_width_and_is_the_same_in_strips) {
  CurveItem curve;
  curve.x0 = 4;
  curve.y0 = 20.5;
  curve.x1 = 60;
  curve.y1 = 20.5;
  curve.width = 3;
  curve.color = {255, 0, 0, 255};
  Image level(64, 41, {0, 0, 0, 255});
  draw_curve(level, curve);
  for (int y = 0; y < 41; ++y) EXPECT_EQ(level.at(30, y).r, y >= 19 && y <= 21 ? 255 : 0) << y;
  EXPECT_EQ(level.at(2, 20).r, 0);
  EXPECT_EQ(level.at(61, 20).r, 0);
  curve.y1 = 3;
  curve.color.a = 128;
  Image whole(64, 41, {0, 0, 0, 255}), strip(64, 7, {0, 0, 0, 255});
  draw_curve(whole, curve);
  draw_curve(strip, curve, 14);
  EXPECT_TRUE(std::equal(strip.pixels.begin(), strip.pixels.end(), &whole.at(0, 14)));
  EXPECT_GT(std::count_if(strip.pixels.begin(), strip.pixels.end(), [](Rgba p) { return p.r > 100; }), 5);
}

}  // namespace
}  // namespace headscope
