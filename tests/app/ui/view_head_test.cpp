// The head of every main view: its name, what it finds, how to read it.
#include "app/ui/view_head.h"

#include <gtest/gtest.h>

#include <string>

#include "app/ui/main_view.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

Document model() {
  Document document = open_document("demo:pronouns", demo_document().request, ViewState());
  document.view.views_grouped = false;
  document.view.pipeline_collapsed = true;
  return document;
}

bool head_says(const Driver& d, const std::string& words) {
  for (const DrawnText& text : d.texts) {
    if (text.words.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(ViewHead, EveryViewHasItsNameAndHowToReadIt) {
  Driver d(model());
  for (const MainViewInfo& info : main_views()) {
    SCOPED_TRACE(info.name);
    d.click(std::string("views/") + main_view_word(info.view));
    d.step(3);
    ASSERT_TRUE(d.has("view_head"));
    EXPECT_GE(d.rect("view_head").height(), 60);
    EXPECT_TRUE(head_says(d, "How to read it:"));
    EXPECT_TRUE(head_says(d, info.how)) << "whole";
  }
}

TEST(ViewHead, MoreOpensThePageOfTheGuide) {
  Driver d(model());
  d.click("views/bug_lab");
  d.click("view_head/more");
  EXPECT_EQ(d.state.dialog, DialogKind::guide);
  EXPECT_TRUE(head_says(d, "Find my bug"));
}

TEST(ViewHead, ALowWindowHasOneLineWithALink) {
  Driver d(model(), 1280, 800);
  EXPECT_LE(d.rect("view_head").height(), 36);
  EXPECT_FALSE(head_says(d, "How to read it:"));
  d.click("view_head/more");
  EXPECT_EQ(d.state.dialog, DialogKind::guide);
}

// Numbers of this run, of every view that computes some; the others name what is missing, or nothing.
TEST(ViewHead, ViewsSayWhatTheyFind) {
  Driver d(model());
  const auto finds = [&](MainView view, const std::string& words) {
    d.click(std::string("views/") + main_view_word(view));
    d.step(6);
    const ViewFinding& finding = d.state.panels.get<ViewFinding>();
    EXPECT_EQ(finding.of, view);
    EXPECT_NE(finding.sentence.find(words), std::string::npos) << finding.sentence;
    EXPECT_TRUE(finding.sentence.ends_with(".")) << finding.sentence;
  };
  finds(MainView::layer, " looks at ");
  finds(MainView::layers, "2 layers of ");
  finds(MainView::text, " looks most at ");
  finds(MainView::mask, " cells are hidden");
  finds(MainView::weights, " numbers.");
  finds(MainView::lens, "the model says ");
  finds(MainView::score, "the strongest of ");
  finds(MainView::circuits, "times what random matrices have.");
  finds(MainView::gradients, "adds most");
  finds(MainView::sensitivity, " is ");
  finds(MainView::scatter, "Two directions hold ");
  finds(MainView::compare, " numbers change first at context of layer ");
  finds(MainView::corpus, "No corpus is open.");
  finds(MainView::script, " lines of ");
}

TEST(ViewHead, OneLayerSaysWhereItsHeadLooksAndThatWeightsAreRandom) {
  Driver d(phrase_document("one two three"));
  d.session.view.cell = Cell{2, 1};
  d.step(3);
  const std::string& said = d.state.panels.get<ViewFinding>().sentence;
  EXPECT_NE(said.find("three looks at two with "), std::string::npos) << said;
  EXPECT_NE(said.find("; that is the token before it."), std::string::npos) << said;
  EXPECT_NE(said.find("The weights are random"), std::string::npos) << said;
  EXPECT_EQ(said.find("goes on with"), std::string::npos) << "no model says a word";
}

}  // namespace
}  // namespace headscope::ui
