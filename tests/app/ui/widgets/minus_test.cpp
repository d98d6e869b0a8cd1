// Numbers on screen have the minus sign U+2212; what is copied keeps '-'.
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "core/base/minus_sign.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

// What reads as a number with an ASCII minus; what is written as code or as options keeps it.
std::vector<std::string> ascii_minuses(const Driver& d) {
  std::vector<std::string> found;
  for (const DrawnText& text : d.texts) {
    if (text.words.find("--") != std::string::npos) continue;  // an option
    if (with_minus_signs(text.words) != text.words) found.push_back(text.words);
  }
  return found;
}

Document negative_document() {
  Document document = phrase_document(kTwelve, 4);
  document.request.init_gain = 3;
  document.request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  document.request.mask_fill = -1e20;
  return document;
}

TEST(Minus, EveryViewWritesItAsASign) {
  Driver d(negative_document(), 1900, 1200);
  const auto check = [&](const std::string& where) {
    d.step(4);
    std::size_t signs = 0;
    for (const DrawnText& text : d.texts) signs += text.words.find(kMinusSign) != std::string::npos;
    EXPECT_GT(signs, 0U) << where << ": no negative number is on screen, this checks nothing";
    for (const std::string& words : ascii_minuses(d)) ADD_FAILURE() << where << ": " << words;
  };
  for (const Stage& stage : std::vector<Stage>(d.trace().stages)) {
    d.session.view.stage = stage.id;
    d.session.view.cell = Cell{3, 1};
    check("one layer, " + std::string(stage_name(stage.id)));
  }
  d.session.view.stage = StageId::scores;
  for (const HeadsShow shows : {HeadsShow::arcs, HeadsShow::neurons, HeadsShow::grid}) {
    d.session.view.heads_show = shows;
    check("heads");
  }
  for (const StageId stage : {StageId::raw_scores, StageId::context, StageId::output}) {
    for (const MainView view : {MainView::follow, MainView::sensitivity, MainView::bug_lab, MainView::compare}) {
      d.session.view.main_view = view;
      d.session.view.stage = stage;
      d.session.view.bug_lab.stage = stage;
      d.session.view.cell = Cell{3, 1};
      if (view == MainView::compare) {
        d.session.pin();
        d.session.draft.seed += 1;
      }
      check("view " + std::to_string(static_cast<int>(view)) + ", " + std::string(stage_name(stage)));
    }
  }
  d.session.view.bug_lab.precision = true;
  d.session.view.main_view = MainView::bug_lab;
  check("precision");
}

TEST(Minus, StandsBetweenWhatIsSubtractedToo) {
  Driver d(negative_document());
  d.session.view.stage = StageId::weights;
  d.session.view.cell = Cell{3, 1};
  d.step(3);
  bool found = false;
  for (const DrawnText& text : d.texts) {
    EXPECT_FALSE(text.words.starts_with("- ")) << text.words;
    EXPECT_EQ(text.words.find("masked_scores[b,h,i,j] - "), std::string::npos) << text.words;
    found = found || text.words == std::string(kMinusSign) + " maximum";
  }
  EXPECT_TRUE(found);
}

TEST(Minus, WhatIsCopiedKeepsTheHyphen) {
  Driver d(negative_document());
  d.session.view.stage = StageId::output;
  d.session.view.cell = Cell{3, 1};
  d.step(2);
  d.state.focus = "inspector/picture";
  d.ctrl(KeyName::c);
  d.step(2);
  EXPECT_FALSE(d.clipboard.empty());
  EXPECT_EQ(d.clipboard.find(kMinusSign), std::string::npos) << d.clipboard;
  d.key(KeyName::c, true, true);
  d.step(2);
  EXPECT_EQ(d.clipboard.find(kMinusSign), std::string::npos) << d.clipboard;
  EXPECT_NE(d.clipboard.find('-'), std::string::npos) << d.clipboard;
}

}  // namespace
}  // namespace headscope::ui
