// A pinned result beside the current one, and what a number depends on.
#include <gtest/gtest.h>

#include "app/session/looks.h"
#include "driver.h"

namespace headscope::ui {
namespace {

TEST(ComparePanel, SaysWhatToDoWhileNothingIsPinned) {
  Driver d;
  d.ctrl(KeyName::d);
  EXPECT_EQ(d.session.view.main_view, MainView::compare);
  EXPECT_FALSE(d.has("compare/stage"));
  d.click("compare/pin");
  EXPECT_NE(d.session.pinned(), nullptr);
  d.step(3);
  EXPECT_TRUE(d.has("compare/first/nowhere")) << "A and B are the same result";
  EXPECT_TRUE(d.has("status/pinned"));
}

TEST(ComparePanel, ShowsWhereWhatOneEditsBeginsToDiffer) {
  Driver d;
  d.key(KeyName::d, true, true);
  const std::shared_ptr<const Trace> pinned = d.session.pinned();
  ASSERT_EQ(pinned, d.session.trace());
  d.type(" hoy");
  d.session.draft.scale = 0.3;  // under the causal mask a word at the end changes no row before it
  d.step(3);
  EXPECT_EQ(d.session.pinned(), pinned) << "it stays, whatever is computed";
  d.ctrl(KeyName::d);
  d.step(3);
  EXPECT_TRUE(d.has("compare/first/input"));
  EXPECT_TRUE(d.has("compare/option/phrase"));
  EXPECT_TRUE(d.has("compare/A/picture"));
  EXPECT_TRUE(d.has("compare/B/picture"));
  EXPECT_TRUE(d.has("compare/difference/picture"));
  d.click("compare/stages/context");
  EXPECT_EQ(d.session.view.stage, StageId::context);
  d.click("compare/heads/3");
  EXPECT_EQ(d.session.view.head, 3);
  d.click("compare/B/picture", 0.1f, 0.1f);
  EXPECT_TRUE(d.session.view.cell);
  d.click("compare/pin");
  d.step(3);
  EXPECT_EQ(d.session.pinned(), d.session.trace());
  EXPECT_TRUE(d.has("compare/first/nowhere"));
  d.click("compare/unpin");
  EXPECT_EQ(d.session.pinned(), nullptr);
  EXPECT_FALSE(d.has("status/pinned"));
}

TEST(ComparePanel, AStageThatOnlyOneHasIsSaidToBeMissing) {
  Driver d;
  d.session.draft.softcap = 3;
  d.step(3);
  d.key(KeyName::d, true, true);
  d.session.view.stage = StageId::capped_scores;
  d.session.draft.softcap.reset();
  d.session.draft.heads = 4;
  d.ctrl(KeyName::d);
  d.step(4);
  EXPECT_TRUE(d.has("compare/A/picture"));
  EXPECT_FALSE(d.has("compare/B/picture"));
  EXPECT_TRUE(d.has("compare/option/softcap"));
  EXPECT_TRUE(d.has("compare/option/heads"));
  d.click("compare/stages/weights");
  EXPECT_TRUE(d.has("compare/B/picture"));
  EXPECT_FALSE(d.has("compare/difference/picture")) << "8 heads beside 4";
}

TEST(SensitivityPanel, ShowsTheDerivativesOfThePickedCell) {
  Driver d;
  d.key(KeyName::g, true, true);
  EXPECT_EQ(d.session.view.main_view, MainView::sensitivity);
  d.session.view.cell.reset();
  d.step(3);
  EXPECT_TRUE(d.has("sensitivity/words"));
  d.session.view.stage = StageId::output;
  d.session.view.cell = Cell{2, 7};
  d.step(4);
  ASSERT_TRUE(d.has("sensitivity/picture"));
  EXPECT_TRUE(d.has("sensitivity/token/input/4"));
  const auto result = d.session.sensitivities().want({d.session.trace(), StageId::output, {0, 2, 7}});
  ASSERT_TRUE(result && result->answer);
  EXPECT_EQ(result->answer->tokens.size(), 1U);
  d.click("sensitivity/by/scores");
  EXPECT_TRUE(d.has("sensitivity/picture"));
  d.choose("sensitivity/stage", "raw_scores");
  EXPECT_EQ(d.session.view.stage, StageId::raw_scores);
  d.step(3);
  EXPECT_TRUE(d.has("sensitivity/words")) << "raw scores do not come from scores";
  EXPECT_TRUE(d.has("sensitivity/token/input/2"));
  d.key(KeyName::g, true, true);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
}

TEST(ComparePanel, SmallWindowsKeepAllParts) {
  for (const auto& [width, height] : {std::pair{1280, 800}, {960, 640}}) {
    Driver d(width, height);
    d.key(KeyName::d, true, true);
    d.type(" x");
    d.ctrl(KeyName::d);
    d.step(3);
    for (const char* name : {"compare/A/picture", "compare/B/picture", "compare/difference/picture", "compare/readout",
                             "compare/stages/weights"}) {
      EXPECT_TRUE(d.has(name)) << name << " at " << width;
    }
    EXPECT_LT(d.rect("compare/A/picture").max.x, d.rect("compare/B/picture").min.x);
  }
}

}  // namespace
}  // namespace headscope::ui
