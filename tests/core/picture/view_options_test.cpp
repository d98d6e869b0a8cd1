// Long because every option stands in three lists here: its values, what it is when unset, and its words.
#include "core/picture/view_options.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/export/session_file.h"
#include "core/request/request.h"

namespace headscope {
namespace {

using OptionTexts = std::vector<std::pair<std::string, std::string>>;

// A value for every option, none the default, each spelled as `get` spells it.
const OptionTexts& every_value() {
  static const OptionTexts values = {{"view", "arcs"},
                                     {"stage", "scores"},
                                     {"batch", "1"},
                                     {"head", "2"},
                                     {"colormap", "magma"},
                                     {"range", "-1,0.5"},
                                     {"log", "on"},
                                     {"cell", "7"},
                                     {"labels", "off"},
                                     {"color-bar", "off"},
                                     {"theme", "light"},
                                     {"width", "900"},
                                     {"scale", "2"},
                                     {"token", "3"},
                                     {"heads-shown", "0,2"},
                                     {"hide-below", "0.5"},
                                     {"sentences", "a-b"},
                                     {"aggregate", "flow"},
                                     {"at", "0,1,2,16777217"},
                                     {"by", "weights"},
                                     {"along", "column"},
                                     {"combine", "mean"},
                                     {"dpi", "600"},
                                     {"font-size", "7.5"},
                                     {"background", "white"},
                                     {"caption", "off"},
                                     {"recipe-line", "off"},
                                     {"key-labels", "outer"},
                                     {"loss", "on"},
                                     {"patch", "stages"},
                                     {"metric", "logit:a-b"},
                                     {"direction", "noise"},
                                     {"ablation", "mean"},
                                     {"from", "0:3"},
                                     {"into", "1:2"},
                                     {"lens-of", "heads"}};
  return values;
}

ViewSpec view_options_with(const std::string& option, const std::string& text) {
  ViewSpec view;
  find_view_option(option)->set(view, text);
  return view;
}

ViewSpec changed_in_every_option() {
  ViewSpec view;
  for (const auto& [option, text] : every_value()) find_view_option(option)->set(view, text);
  return view;
}

ViewSpec read_back(const ViewSpec& view) {
  return *parse_session(session_json(Request(), view), "the session").view;
}

TEST(ViewOptions, EveryFieldHasARow) {
  const ViewSpec changed = changed_in_every_option(), usual;
  // These lines do not compile once ViewSpec has another field: it needs a row, and a comparison here.
  const auto& [view, stage, batch, head, colormap, range, range_low, range_high, log_scale, cell, labels, color_bar,
               theme, width, scale, token, heads_shown, hide_below, sentences, aggregate, at, by, paper, along,
               combined, question] = changed;
  EXPECT_NE(view, usual.view);
  EXPECT_NE(stage, usual.stage);
  EXPECT_NE(batch, usual.batch);
  EXPECT_NE(head, usual.head);
  EXPECT_NE(colormap, usual.colormap);
  EXPECT_NE(range, usual.range);
  EXPECT_NE(range_low, usual.range_low);
  EXPECT_NE(range_high, usual.range_high);
  EXPECT_NE(log_scale, usual.log_scale);
  EXPECT_NE(cell, usual.cell);
  EXPECT_NE(labels, usual.labels);
  EXPECT_NE(color_bar, usual.color_bar);
  EXPECT_NE(theme, usual.theme);
  EXPECT_NE(width, usual.width);
  EXPECT_NE(scale, usual.scale);
  EXPECT_NE(token, usual.token);
  EXPECT_NE(heads_shown, usual.heads_shown);
  EXPECT_NE(hide_below, usual.hide_below);
  EXPECT_NE(sentences, usual.sentences);
  EXPECT_NE(aggregate, usual.aggregate);
  EXPECT_NE(at, usual.at);
  EXPECT_NE(by, usual.by);
  EXPECT_NE(along, usual.along);
  EXPECT_NE(combined, usual.combined);
  const auto& [paper_width, dpi, font_size, ground, caption, recipe_line, key_labels] = paper;
  EXPECT_EQ(paper_width, usual.paper.width) << "given as the width is, which has pixels here";
  EXPECT_NE(dpi, usual.paper.dpi);
  EXPECT_NE(font_size, usual.paper.font_size);
  EXPECT_NE(ground, usual.paper.ground);
  EXPECT_NE(caption, usual.paper.caption);
  EXPECT_NE(recipe_line, usual.paper.recipe_line);
  EXPECT_NE(key_labels, usual.paper.key_labels);
  const auto& [tokens, loss, taken_apart_by, patch, metric, direction, ablation, lens_of, from, into, reads] = question;
  EXPECT_EQ(tokens, "") << "of an attribution, as is the next one: tests/core/picture/view_model_options_test.cpp";
  EXPECT_FALSE(taken_apart_by.has_value() || reads.has_value());
  EXPECT_NE(loss, usual.question.loss);
  EXPECT_NE(patch, usual.question.patch);
  EXPECT_NE(metric, usual.question.metric);
  EXPECT_NE(direction, usual.question.direction);
  EXPECT_NE(ablation, usual.question.ablation);
  EXPECT_NE(lens_of, usual.question.lens_of);
  EXPECT_NE(from, usual.question.from);
  EXPECT_NE(into, usual.question.into);
}

TEST(ViewOptions, ARangeFittedToMostCellsIsAWordToo) {
  const ViewSpec fitted = view_options_with("range", "fit");
  EXPECT_EQ(fitted.range, RangeKind::fit);
  EXPECT_EQ(find_view_option("range")->get(fitted), "fit");
  EXPECT_EQ(read_back(fitted), fitted);
  EXPECT_NE(find_view_option("range")->placeholder.find("fit"), std::string::npos);
}

TEST(ViewOptions, EveryRowIsTriedHereAndNamedOnce) {
  std::set<std::string> names;
  for (const ViewOption& option : view_options()) EXPECT_TRUE(names.insert(option.name).second) << option.name;
  ASSERT_EQ(every_value().size(), view_options().size());
  for (std::size_t i = 0; i < every_value().size(); ++i) {
    EXPECT_EQ(every_value()[i].first, view_options()[i].name) << "session files are written in this order";
  }
  for (const char* unknown : {"heads_shown", ""}) EXPECT_EQ(find_view_option(unknown), nullptr) << unknown;
}

TEST(ViewOptions, AValueIsReadBackFromHowItIsSpelled) {
  for (const auto& [name, text] : every_value()) {
    SCOPED_TRACE(name);
    const ViewOption& option = *find_view_option(name);
    EXPECT_TRUE(is_default(option, ViewSpec()));
    const ViewSpec view = view_options_with(name, text);
    EXPECT_EQ(option.get(view), text);
    EXPECT_TRUE(view_options_with(name, option.get(view)) == view);
    for (const ViewOption& each : view_options()) {
      EXPECT_EQ(is_default(each, view), name != each.name) << each.name;
    }
  }
}

TEST(ViewOptions, EveryWordOfAPlaceholderIsAValue) {
  for (const char* name : {"view", "colormap", "labels", "theme", "sentences", "aggregate", "by", "along", "combine",
                           "background", "caption", "recipe-line", "key-labels", "patch", "direction", "lens-of"}) {
    SCOPED_TRACE(name);
    const ViewOption& option = *find_view_option(name);
    std::string rest = option.placeholder;
    while (!rest.empty()) {
      const std::string word = rest.substr(0, rest.find('|'));
      EXPECT_EQ(option.get(view_options_with(name, word)), word);
      rest.erase(0, word.size() + 1);
    }
  }
  EXPECT_EQ(find_view_option("view")->placeholder,
            "heads|head|stage|concat|arcs|neurons|layers|difference|sensitivity|text|explanation|lens|"
            "attribution|sweep|scatter|composition|score");
  EXPECT_EQ(find_view_option("colormap")->placeholder, "viridis|magma|cividis|gray|icefire|coolwarm");
  EXPECT_EQ(find_view_option("log")->placeholder, "");
}

TEST(ViewOptions, WhatIsNotChosenHasAWordWhereThereIsOne) {
  const ViewSpec usual;
  const OptionTexts spelled = {{"view", "heads"},
                               {"stage", "weights"},
                               {"head", "0"},
                               {"colormap", "auto"},
                               {"range", "auto"},
                               {"log", "off"},
                               {"cell", ""},
                               {"labels", "on"},
                               {"theme", "dark"},
                               {"width", ""},
                               {"token", ""},
                               {"heads-shown", "all"},
                               {"scale", "1"},
                               {"batch", "0"},
                               {"hide-below", "0.05"},
                               {"at", ""},
                               {"sentences", "all"},
                               {"color-bar", "on"},
                               {"by", ""},
                               {"aggregate", "none"},
                               {"dpi", ""},
                               {"font-size", ""},
                               {"background", "theme"},
                               {"caption", "on"},
                               {"recipe-line", "on"},
                               {"key-labels", ""},
                               {"along", "row"},
                               {"combine", "sum"},
                               {"patch", "heads"},
                               {"metric", ""},
                               {"direction", "denoise"},
                               {"ablation", ""},
                               {"from", ""},
                               {"into", ""},
                               {"lens-of", "layers"},
                               {"loss", "off"}};
  ASSERT_EQ(spelled.size(), view_options().size());
  for (const auto& [name, text] : spelled) {
    EXPECT_EQ(find_view_option(name)->get(usual), text) << name;
    if (!text.empty()) {
      ViewSpec view = changed_in_every_option();
      find_view_option(name)->set(view, text);
      EXPECT_TRUE(is_default(*find_view_option(name), view)) << name;
    }
  }
  EXPECT_EQ(find_view_option("heads-shown")->get(view_options_with("heads-shown", "none")), "none");
  EXPECT_EQ(view_options_with("heads-shown", "none").heads_shown, std::vector<std::int64_t>());
  EXPECT_EQ(find_view_option("heads-shown")->get(view_options_with("heads-shown", "2,0,2")), "0,2");
  EXPECT_EQ(find_view_option("range")->get(view_options_with("range", "row")), "row");
}

TEST(ViewOptions, ARefusalCarriesItsOptionAndLeavesTheView) {
  const ViewSpec before = changed_in_every_option();
  for (const ViewOption& option : view_options()) {
    for (const std::string& text : {std::string(), std::string("x\0", 2), std::string("-1;"), std::string("1,2;3")}) {
      SCOPED_TRACE(option.name);
      ViewSpec view = before;
      try {
        option.set(view, text);
        ADD_FAILURE() << text << " was taken";
      } catch (const UsageError& error) {
        EXPECT_EQ(error.option(), option.name);
        EXPECT_NE(error.expected(), "");
      }
      EXPECT_TRUE(view == before);
    }
  }
  try {
    view_options_with("theme", "blue");
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--theme: 'blue' is not a theme; expected dark, light or contrast");
  }
  try {
    view_options_with("colormap", "jet");
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.reason(),
              "'jet' is not a colour map; expected viridis, magma, cividis, gray, icefire, coolwarm, or auto");
  }
}

TEST(ViewOptions, ASessionFileHoldsWhatDiffers) {
  EXPECT_EQ(view_json(ViewSpec()), "{}");
  EXPECT_EQ(view_json(changed_in_every_option()),
            R"({"view":"arcs","stage":"scores","batch":1,"head":2,"colormap":"magma","range":"-1,0.5","log":true,)"
            R"("cell":7,"labels":"off","color_bar":"off","theme":"light","width":900,"scale":2.0,"token":3,)"
            R"("heads_shown":"0,2","hide_below":0.5,"sentences":"a-b","aggregate":"flow","at":"0,1,2,16777217",)"
            R"("by":"weights","along":"column","combine":"mean","dpi":600,"font_size":7.5,"background":"white",)"
            R"("caption":"off","recipe_line":"off","key_labels":"outer","loss":true,)"
            R"("patch":"stages","metric":"logit:a-b","direction":"noise","ablation":"mean","from":"0:3","into":"1:2",)"
            R"("lens_of":"heads"})");
}

TEST(ViewOptions, ASessionFileGivesTheViewBack) {
  EXPECT_TRUE(read_back(ViewSpec()) == ViewSpec());
  const ViewSpec all = changed_in_every_option();
  EXPECT_TRUE(read_back(all) == all);
  EXPECT_EQ(view_json(read_back(all)), view_json(all));
  for (const auto& [name, text] : every_value()) {
    const ViewSpec view = view_options_with(name, text);
    EXPECT_TRUE(read_back(view) == view) << name;
    EXPECT_EQ(view_json(read_back(view)), view_json(view)) << name;
  }
  for (const auto& [name, text] : OptionTexts{{"heads-shown", "none"},
                                              {"range", "row"},
                                              {"range", "1e-12,0.30000000000000004"},
                                              {"hide-below", "1e-300"}}) {
    EXPECT_TRUE(read_back(view_options_with(name, text)) == view_options_with(name, text)) << name << ' ' << text;
  }
}

TEST(ViewOptions, KeysOfASessionFileHaveUnderscores) {
  ViewSpec view;
  EXPECT_TRUE(set_view_value(view, "hide_below", "0.25"));
  EXPECT_EQ(view.hide_below, 0.25);
  EXPECT_FALSE(set_view_value(view, "hide-below", "0.5"));
  EXPECT_FALSE(set_view_value(view, "against", "x.png"));
  EXPECT_EQ(view.hide_below, 0.25);
}

}  // namespace
}  // namespace headscope
