// Attention on the text as a picture: every token once, on the colour of its weight.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/base/error.h"
#include "core/picture/text_weights_look.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/figure/xml_check.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

ViewSpec text_view(std::int64_t token) {
  ViewSpec view = view_of(ViewKind::text);
  view.token = token;
  return view;
}

std::string svg_of(const Trace& trace, const ViewSpec& view) {
  std::ostringstream out;
  figure_svg(trace, view).write(out, {}, {});
  return out.str();
}

// The rectangle on which a text was drawn last before it.
RectItem ground_of(const FigurePlan& plan, const std::string& word) {
  RectItem ground;
  for (const auto& item : plan.items) {
    const auto* text = std::get_if<TextItem>(&item);
    if (text != nullptr && text->text == word && text->size == 14) return ground;
    const auto* rect = std::get_if<RectItem>(&item);
    if (rect != nullptr && rect->height == 26 && rect->width > 4) ground = *rect;
  }
  ADD_FAILURE() << "no " << word;
  return ground;
}

TEST(FigureText, EveryTokenStandsOnTheColourOfItsWeight) {
  Request request = small_request(0);
  request.phrase = "the animal did cross a street";
  const auto trace = trace_of(request);
  ViewSpec view = text_view(3);
  view.heads_shown = std::vector<std::int64_t>{1, 2};
  const FigurePlan plan = figure_plan(*trace, view, false);
  const TextWeights weights = text_weights(*trace, {0, {1, 2}, 3, TextAlong::row, HeadsCombined::sum});
  const std::vector<std::string> names = trace->key_labels();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const ValueScale scale = value_scale({0, weights.largest, false, false});
    EXPECT_EQ(ground_of(plan, names[k]).color,
              color_table(ColorMap::viridis)[static_cast<std::size_t>(scale.entry(weights.values[k]))])
        << names[k];
  }
  EXPECT_TRUE(has_text(plan, "sum of the weights of heads 1 and 2")) << "what is shown is said";
}

TEST(FigureText, TheDrawingHoldsEachTokenOnce) {
  Request request = small_request(0, {{"mask", "causal"}});
  request.phrase = "the animal did cross a street";
  const auto trace = trace_of(request);
  const XmlReader svg(svg_of(*trace, text_view(2)));
  std::int64_t hatched = 0;
  for (const std::string& name : trace->key_labels()) {
    const auto drawn = std::count_if(svg.elements().begin(), svg.elements().end(), [&](const XmlElement& element) {
      return element.name == "text" && element.text == name && element.attributes.at("font-size") == "14";
    });
    EXPECT_EQ(drawn, 1) << name;
  }
  for (const XmlElement& element : svg.elements()) {
    const auto fill = element.attributes.find("fill");
    if (fill != element.attributes.end() && fill->second == "url(#hatch)" && element.attributes.at("height") == "26") {
      ++hatched;
    }
  }
  EXPECT_EQ(hatched, 3) << "what follows the query is hidden";
}

TEST(FigureText, AColumnIsOfAKey) {
  const auto trace = small_trace(5);
  ViewSpec view = text_view(1);
  view.along = TextAlong::column;
  view.combined = HeadsCombined::mean;
  const FigurePlan plan = figure_plan(*trace, view, false);
  EXPECT_TRUE(has_text(plan, "which queries look at key 1"));
  EXPECT_TRUE(has_text(plan, "mean of the weights of all 4 heads"));
}

TEST(FigureText, ALongTextIsMeasuredAsItIsDrawn) {
  const auto trace = small_trace(300);
  for (const int width : {500, 900}) {
    ViewSpec view = text_view(7);
    view.width = width;
    const FigureSize size = figure_size(*trace, view);
    const FigurePlan plan = figure_plan(*trace, view, false);
    EXPECT_EQ(size.width, width);
    EXPECT_EQ(size.height, plan.height);
    for (const TextItem& item : items_of<TextItem>(plan)) EXPECT_LT(item.y, plan.height) << item.text;
  }
}

TEST(FigureText, WhatIsNotThereIsRefused) {
  const auto trace = small_trace(4);
  EXPECT_NE(refusal(*trace, text_view(4)).find("--token"), std::string::npos);
  ViewSpec view = text_view(0);
  view.heads_shown = std::vector<std::int64_t>{9};
  EXPECT_NE(refusal(*trace, view).find("--heads-shown"), std::string::npos);
}

TEST(FigureText, NanAndHiddenWordsHaveNoColourOfTheMap) {
  const WordColors colors{ColorMap::viridis, {0, 1, false, false}, Theme::dark};
  EXPECT_EQ(word_look(std::nanf(""), true, colors).ground, kNanColor) << "a fully masked row";
  EXPECT_TRUE(word_look(0, true, colors).hatched);
  EXPECT_EQ(word_look(1, false, colors).ground, color_table(ColorMap::viridis)[255]);
}

TEST(FigureExplanation, HasFormulaStepsAndResult) {
  const auto trace = small_trace(4);
  ViewSpec view = view_of(ViewKind::explanation);
  view.at = {0, 1, 2, 0};
  const FigurePlan plan = figure_plan(*trace, view, false);
  EXPECT_TRUE(has_line(plan, "weights"));
  EXPECT_TRUE(has_line(plan, "Σ"));
  EXPECT_TRUE(has_line(plan, "row maximum"));
  EXPECT_TRUE(has_line(plan, "÷ row sum"));
  const XmlReader svg(svg_of(*trace, view));
  EXPECT_GT(svg.elements().size(), 30U);
  view.at = {0, 1, 2};
  EXPECT_NE(refusal(*trace, view).find("--at"), std::string::npos);
}

}  // namespace
}  // namespace headscope
