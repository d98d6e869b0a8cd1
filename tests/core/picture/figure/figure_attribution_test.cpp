// A logit taken apart, as a picture: the numbers are those of attribution(), and none is left out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/model_trace.h"
#include "core/explain/attribution.h"
#include "core/explain/logit_tokens.h"
#include "core/export/recipe.h"
#include "core/export/session_file.h"
#include "core/picture/figure/figure_bars.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> computed(const std::string& model, const std::string& phrase, bool whole = true) {
  Request request;
  request.model = model;
  request.phrase = phrase;
  if (!whole) request.layer = 0;
  EngineOptions options;
  options.whole_model = whole;
  return Engine(options).run(request, CancelToken());
}

std::shared_ptr<const Trace> attribution_induction(bool whole = true) {
  return computed("demo:induction", "cat box ink fox cat", whole);
}

ViewSpec attribution_asked(AttributionBy by, const std::string& tokens = "box,ink") {
  ViewSpec view = view_of(ViewKind::attribution);
  view.at = {4};
  view.question.tokens = tokens;
  view.question.by = by;
  return view;
}

Attribution found_by(const Trace& trace, AttributionBy by, const std::string& tokens = "box,ink") {
  return attribution(*trace.model, {4, logit_token_ids(*trace.model->checkpoint, tokens), by}, CancelToken());
}

// The number on the line of a name.
std::string number_beside(const FigurePlan& plan, const std::string& name) {
  const auto texts = items_of<TextItem>(plan);
  for (std::size_t k = 0; k + 1 < texts.size(); ++k) {
    if (texts[k].text == name) return texts[k + 1].text;
  }
  return "";
}

void expect_totals(const FigurePlan& plan, const Attribution& found) {
  EXPECT_EQ(number_beside(plan, "sum of all parts"), fmt::format("{:.7g}", found.sum));
  EXPECT_EQ(number_beside(plan, "the model's own logits"), fmt::format("{:.7g}", found.total));
  EXPECT_TRUE(std::fabs(found.sum - found.total) <= 1e-4 * std::fabs(found.total));
  EXPECT_NE(plan.description.find("sum of all parts"), std::string::npos) << "for screen readers too";
}

TEST(FigureAttribution, EveryComponentIsABarToItsSideOfZero) {
  const auto trace = attribution_induction();
  const Attribution found = found_by(*trace, AttributionBy::components);
  const ViewSpec view = attribution_asked(AttributionBy::components);
  const FigurePlan plan = figure_plan(*trace, view, false);
  EXPECT_TRUE(items_of<MapItem>(plan).empty());
  int positive = 0, negative = 0, bars[2] = {0, 0};
  for (const AttributionPart& part : found.parts) {
    const std::string name = part.layer ? fmt::format("layer {} {}", *part.layer, part.name) : part.name;
    EXPECT_EQ(number_beside(plan, name), signed_number_text(part.value)) << name;
    (part.value > 0 ? positive : negative) += 1;
  }
  const Palette& colors = palette(view.theme);
  for (const RectItem& rect : items_of<RectItem>(plan)) {
    if (rect.color == colors.bar_positive) ++bars[0];
    if (rect.color == colors.bar_negative) ++bars[1];
  }
  EXPECT_GT(bars[0], 0);
  EXPECT_LE(bars[0], positive);
  EXPECT_LE(bars[1], negative);
  expect_totals(plan, found);
  EXPECT_TRUE(has_text(plan, "of box less that of ink, at position 4 cat"));
}

TEST(FigureAttribution, HeadsAreAMapAndEverythingElseBars) {
  const auto trace = attribution_induction();
  const Attribution found = found_by(*trace, AttributionBy::heads);
  const FigurePlan plan = figure_plan(*trace, attribution_asked(AttributionBy::heads), false);
  const auto maps = items_of<MapItem>(plan);
  ASSERT_EQ(maps.size(), 1u);
  const HeatmapSpec& spec = maps[0].spec;
  EXPECT_EQ(spec.matrix.shape(), (Shape{2, 8}));
  EXPECT_EQ(spec.range.low, -spec.range.high);
  for (const AttributionPart& part : found.parts) {
    if (part.head) {
      EXPECT_EQ(spec.matrix.at({*part.layer, *part.head}), static_cast<float>(part.value));
    } else {
      const std::string name = part.layer ? fmt::format("layer {} {}", *part.layer, part.name) : part.name;
      EXPECT_EQ(number_beside(plan, name), signed_number_text(part.value)) << name;
    }
  }
  expect_totals(plan, found);
}

TEST(FigureAttribution, SourcesAreAMapOfHeadsAndTokens) {
  const auto trace = attribution_induction();
  const Attribution found = found_by(*trace, AttributionBy::sources);
  const FigurePlan plan = figure_plan(*trace, attribution_asked(AttributionBy::sources), false);
  const HeatmapSpec spec = items_of<MapItem>(plan).at(0).spec;
  EXPECT_EQ(spec.matrix.shape(), (Shape{16, 5}));
  for (const AttributionPart& part : found.parts) {
    if (part.key) {
      EXPECT_EQ(spec.matrix.at({*part.layer * 8 + *part.head, *part.key}), static_cast<float>(part.value));
    }
  }
  EXPECT_TRUE(has_line(plan, "1.7"));
  expect_totals(plan, found);
}

TEST(FigureAttribution, ALossIsTakenApartLikeALogit) {
  const auto trace = attribution_induction();
  ViewSpec view = attribution_asked(AttributionBy::components, "box");
  view.question.loss = true;
  LogitQuestion question{4, logit_token_ids(*trace->model->checkpoint, "box"), AttributionBy::components};
  question.loss = true;
  const Attribution found = attribution(*trace->model, question, CancelToken());
  const FigurePlan plan = figure_plan(*trace, view, false);
  EXPECT_TRUE(has_text(plan, "Who made the loss"));
  EXPECT_EQ(number_beside(plan, "the model's own loss"), fmt::format("{:.7g}", found.total));
  EXPECT_TRUE(has_text(plan, "entropy of the prediction")) << "the part that is of no component";
  view.question.tokens = "box,ink";
  EXPECT_THROW(figure_plan(*trace, view, false), UsageError) << "a loss is of one token";
}

TEST(FigureAttribution, OfManyBarsTheSmallestAreOne) {
  std::vector<SignedBar> bars = {{"a", 1}, {"b", -3}, {"c", 0.5}, {"d", NAN}, {"e", 3}};
  const std::vector<SignedBar> all = bars_by_size(bars, 9);
  std::string order;
  for (const SignedBar& bar : all) order += bar.name;
  EXPECT_EQ(order, "dbeac");
  const std::vector<SignedBar> few = bars_by_size(bars, 3);
  ASSERT_EQ(few.size(), 4u);
  EXPECT_EQ(few[3].name, "2 more");
  EXPECT_EQ(few[3].value, 1.5);
}

TEST(FigureAttribution, SizesAreThoseOfThePicture) {
  const auto trace = attribution_induction();
  for (const AttributionBy by : {AttributionBy::components, AttributionBy::heads, AttributionBy::sources}) {
    for (const double scale : {1.0, 2.0}) {
      ViewSpec view = attribution_asked(by);
      view.scale = scale;
      const Image image = draw_figure(*trace, view);
      const FigureSize size = figure_size(*trace, view);
      EXPECT_EQ(image.width, size.width);
      EXPECT_EQ(image.height, size.height);
    }
  }
  ViewSpec wide = attribution_asked(AttributionBy::components);
  wide.width = 700;
  EXPECT_EQ(draw_figure(*trace, wide).width, 700);
}

TEST(FigureAttribution, TheRecipeDrawsTheSamePixels) {
  const auto trace = attribution_induction();
  for (const AttributionBy by : {AttributionBy::components, AttributionBy::heads, AttributionBy::sources}) {
    ViewSpec view = attribution_asked(by, "6");
    view.theme = Theme::light;
    const SessionFile session = parse_session(recipe_of(*trace, view).at("headscope"), "the recipe");
    ASSERT_TRUE(session.view.has_value());
    EXPECT_TRUE(*session.view == view);
    EXPECT_EQ(draw_figure(*attribution_induction(), *session.view).pixels, draw_figure(*trace, view).pixels);
  }
}

TEST(FigureAttribution, WhatCannotBeTakenApartIsRefused) {
  const auto trace = attribution_induction();
  const ViewSpec view = attribution_asked(AttributionBy::heads);
  EXPECT_NE(refusal(*small_trace(3), view).find("one layer, which has no vocabulary"), std::string::npos);
  EXPECT_NE(refusal(*attribution_induction(false), view).find("attribution needs all layers"), std::string::npos);
  const auto refused = [&](auto change) {
    ViewSpec changed = view;
    change(changed);
    return refusal(*trace, changed);
  };
  EXPECT_NE(refused([](ViewSpec& v) { v.at = {}; }).find("--at: found nothing"), std::string::npos);
  EXPECT_NE(refused([](ViewSpec& v) { v.at = {0, 4}; }).find("--at: found 2 numbers"), std::string::npos);
  EXPECT_NE(refused([](ViewSpec& v) { v.at = {5}; }).find("found position 5"), std::string::npos);
  EXPECT_NE(refused([](ViewSpec& v) { v.question.tokens = ""; }).find("--token: found nothing"), std::string::npos);
  EXPECT_NE(refused([](ViewSpec& v) { v.question.tokens = "xyzzy"; }).find("'xyzzy' is no token"), std::string::npos);
  EXPECT_NE(
      refused([](ViewSpec& v) { v.question.by.reset(), v.by = SensitivityBy::scores; }).find("--by: found scores"),
      std::string::npos);
  EXPECT_NE(refused([](ViewSpec& v) { v.view = ViewKind::sensitivity; }).find("--by: found heads"), std::string::npos);
  EXPECT_NE(refused([](ViewSpec& v) { v.width = 100; }).find("too few"), std::string::npos);
}

}  // namespace
}  // namespace headscope
