// Focus, shortcuts, menus, lists, notices: what holds the window together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "app/ui/command_list.h"
#include "app/ui/shell_state.h"
#include "app/ui/shortcuts.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

TEST(Shell, BlocksWhatLiesUnderAnOpenList) {
  Driver d;
  d.click("request/mask_fill");
  ASSERT_EQ(d.state.open_combo, "request/mask_fill");
  const Rect causal = d.rect("request/mask/causal");
  d.click_at(causal.center());
  EXPECT_EQ(d.session.draft.mask.size(), 1u) << "the click only closes the list";
  EXPECT_EQ(d.state.open_combo, "");
  d.click_at(causal.center());
  EXPECT_TRUE(d.session.draft.mask.empty());
}

TEST(Shell, BlocksWhatLiesUnderADialog) {
  Driver d;
  d.key(KeyName::f1);
  ASSERT_EQ(d.state.dialog, DialogKind::help);
  d.click("request/mask/causal");
  EXPECT_EQ(d.session.draft.mask.size(), 1u);
  d.type("x");
  EXPECT_EQ(d.session.draft.phrase, "Hola mi nombre es Alex");
  for (int i = 0; i < 20; ++i) {
    d.key(KeyName::tab);
    EXPECT_FALSE(d.focus().starts_with("request/")) << "Tab stays in the dialog";
  }
  d.key(KeyName::escape);
  EXPECT_EQ(d.state.dialog, DialogKind::none);
  EXPECT_EQ(d.focus(), "phrase") << "the focus goes back to where it was";
}

TEST(Shell, OpensItsMenusByMouseAndKeys) {
  Driver d;
  d.choose("menu/View", "Dark or light");
  EXPECT_EQ(d.settings.theme, Theme::light);
  d.key(KeyName::f10);
  EXPECT_EQ(d.state.open_combo, "menu/File");
  d.key(KeyName::right);
  EXPECT_EQ(d.state.open_combo, "menu/Edit");
  d.key(KeyName::left);
  d.key(KeyName::left);
  EXPECT_EQ(d.state.open_combo, "menu/Help");
  d.key(KeyName::down);
  d.key(KeyName::enter);
  EXPECT_EQ(d.state.dialog, DialogKind::help);
  d.key(KeyName::escape);
  d.key(KeyName::e, false, false, true);
  EXPECT_EQ(d.state.open_combo, "menu/Edit") << "Alt and a letter";
  d.key(KeyName::escape);
  EXPECT_EQ(d.state.open_combo, "");
}

TEST(Shell, HasEveryMenuCommandInSomeMenu) {
  Driver d;
  for (const CommandInfo& info : command_list()) {
    if (info.menu[0] == '\0') continue;
    d.click(std::string("menu/") + info.menu);
    EXPECT_TRUE(d.has(std::string("menu/") + info.menu + "/" + info.title)) << info.title;
    d.key(KeyName::escape);
  }
}

TEST(Shell, AMenuCutsNoneOfItsOwnWords) {
  std::set<std::string> menus;
  for (const CommandInfo& info : command_list()) menus.insert(info.menu);
  menus.erase("");
  for (const double scale : {1.0, 1.3, 2.0}) {
    Driver d;
    d.settings.ui_scale = scale;
    d.step();
    for (const std::string& menu : menus) {
      d.click("menu/" + menu);
      const auto drawn = [&](const std::string& words) {
        return std::any_of(d.texts.begin(), d.texts.end(), [&](const DrawnText& text) { return text.words == words; });
      };
      for (const CommandInfo& info : command_list()) {
        if (info.menu != menu) continue;
        EXPECT_TRUE(drawn(info.title)) << info.title << " at " << scale;
        EXPECT_TRUE(info.shortcut[0] == '\0' || drawn(info.shortcut)) << info.shortcut << " at " << scale;
        EXPECT_LE(d.rect("menu/" + menu + "/" + info.title).max.x, 1600) << info.title << " at " << scale;
      }
      d.key(KeyName::escape);
    }
  }
}

TEST(Shell, DoesNotPickWhatCannotActNow) {
  Driver d;
  d.click("menu/Edit");
  d.click("menu/Edit/Undo");
  EXPECT_EQ(d.state.open_combo, "menu/Edit") << "nothing to undo: the line does nothing";
}

TEST(Shell, GoesToTheProblemByF8) {
  Driver d;
  d.session.draft.heads = 7;
  d.step();
  d.key(KeyName::f8);
  EXPECT_EQ(d.focus(), "request/num_heads");
  d.session.draft.heads.reset();
  d.session.draft.init_gain = std::numeric_limits<double>::quiet_NaN();
  d.step();
  if (d.session.problem()) {
    d.key(KeyName::f8);
    EXPECT_EQ(d.focus(), "request/init_gain");
  }
}

TEST(Shell, CollapsesAndOpensItsPanels) {
  Driver d;
  d.key(KeyName::f9);
  EXPECT_TRUE(d.session.view.request_collapsed);
  EXPECT_FALSE(d.has("request/weights"));
  d.click("request/open");
  EXPECT_TRUE(d.has("request/weights"));
  d.key(KeyName::f4);
  EXPECT_TRUE(d.session.view.inspector_collapsed);
  d.click("inspector/open");
  EXPECT_FALSE(d.session.view.inspector_collapsed);
  d.key(KeyName::f7);
  EXPECT_TRUE(d.session.view.concat_collapsed);
  d.key(KeyName::f6);
  EXPECT_TRUE(d.session.view.pipeline_collapsed);
}

TEST(Shell, OpensTheRequestOverTheOthersInASmallWindow) {
  Driver d(1280, 800);
  EXPECT_FALSE(d.has("request/weights"));
  d.key(KeyName::f9);
  ASSERT_TRUE(d.has("request/weights"));
  const std::int64_t before = d.session.view.head;
  const Rect merge = d.rect("request/merge/direct reshape");
  d.click_at(merge.center());
  EXPECT_EQ(d.session.draft.merge, Merge::direct);
  EXPECT_EQ(d.session.view.head, before) << "the heads below saw no click";
  d.key(KeyName::f9);
  EXPECT_FALSE(d.has("request/weights"));
}

TEST(Shell, SharesOnePlaceBetweenHeadsAndInspectorInANarrowWindow) {
  Driver d(1024, 720);
  ASSERT_TRUE(d.has("tabs"));
  d.click("tabs/inspector");
  EXPECT_TRUE(d.state.panels.get<ShellState>().inspector_tab);
  d.key(KeyName::f4);
  EXPECT_FALSE(d.state.panels.get<ShellState>().inspector_tab);
}

TEST(Shell, DragsTheSplitters) {
  Driver d;
  const Rect grip = d.rect("split/inspector"), inspector = d.rect("inspector"), below = d.rect("concat");
  d.drag(grip.center(), {grip.center().x - 50, grip.center().y});
  EXPECT_NEAR(d.session.view.inspector_width, inspector.width() + 50, 2);
  const Rect request = d.rect("split/request");
  d.drag(request.center(), {request.center().x + 60, request.center().y});
  EXPECT_NEAR(d.session.view.request_width, 324, 2);
  const Rect concat = d.rect("split/concat");
  d.drag(concat.center(), {concat.center().x, concat.center().y - 20});
  EXPECT_NEAR(d.session.view.concat_height, below.height() + 20, 2);
}

TEST(Shell, SurvivesEverySizeAndScale) {
  Driver d;
  for (const auto& [w, h] : {std::pair{1, 1},
                             {10, 10},
                             {320, 200},
                             {960, 600},
                             {960, 640},
                             {1099, 640},
                             {1439, 899},
                             {2560, 1440},
                             {5120, 700}}) {
    d.resize(w, h);
    EXPECT_FALSE(d.probe.rects.empty());
  }
  d.resize(1600, 1000);
  for (const float scale : {1.25f, 1.5f, 2.0f, 3.0f}) {
    d.set_scale(scale);
    d.resize(static_cast<int>(1600 * scale), static_cast<int>(1000 * scale));
    EXPECT_EQ(d.rect("phrase").height(), std::round(34 * scale));
  }
}

TEST(Shell, ShowsTooltipsAfterAMomentAndThenRests) {
  Driver d;
  d.hover("request/mask/causal");
  EXPECT_GT(d.state.wake_after, 0);
  EXPECT_LE(d.state.wake_after, 0.4);
  d.wait(0.5);
  d.move({800, 985});
  d.key(KeyName::escape);
  d.wait(20);
  EXPECT_LT(d.state.wake_after, 0) << "without focus and motion nothing wakes the window";
  EXPECT_FALSE(d.state.wants_frame);
}

TEST(Shell, StopsBlinkingAfterAWhile) {
  Driver d;
  d.type("x");
  EXPECT_GT(d.state.wake_after, 0);
  d.wait(30);
  EXPECT_LT(d.state.wake_after, 0);
}

TEST(Shell, SaysWhatCannotBeOpenedAndChangesNothing) {
  Driver d;
  const Request before = d.session.draft;
  d.drop("/nowhere/at/all.json");
  EXPECT_EQ(d.session.draft, before);
  ASSERT_TRUE(d.has("notice/open"));
  d.drop("/nowhere/else.json");
  EXPECT_EQ(d.state.notices.size(), 1u) << "the newer one takes its place";
  d.key(KeyName::escape);
  EXPECT_FALSE(d.has("notice/open"));
}

TEST(Shell, CopiesThePickedNumberItsRowAndTheMatrix) {
  Driver d;
  d.session.view.cell = Cell{1, 0};
  d.step();
  d.key(KeyName::escape);
  d.ctrl(KeyName::c);
  const float weight = d.trace().tensor(StageId::weights).at({0, 0, 1, 0});
  EXPECT_EQ(std::stof(d.clipboard), weight);
  d.key(KeyName::c, true, false, true);
  EXPECT_TRUE(d.clipboard.starts_with("query\\key\tHola\tmi\tnombre\tes\tAlex\nmi\t")) << d.clipboard;
  d.choose("menu/Edit", "Copy its matrix");
  EXPECT_EQ(std::count(d.clipboard.begin(), d.clipboard.end(), '\n'), 6);
  d.choose("menu/Edit", "Copy the head in words");
  EXPECT_TRUE(d.clipboard.starts_with("head 0: ")) << d.clipboard;
  EXPECT_NE(d.clipboard.find("\nmi attends to mi "), std::string::npos) << d.clipboard;
  EXPECT_EQ(std::count(d.clipboard.begin(), d.clipboard.end(), '\n'), 6);
}

TEST(Shell, StartsOverByCtrlN) {
  Driver d;
  d.type(" more");
  d.ctrl(KeyName::n);
  EXPECT_EQ(d.session.draft, first_document().request) << "the start, not another phrase with other weights";
  EXPECT_TRUE(d.settings.start_open);
  d.step();
  EXPECT_TRUE(d.has("start/tour")) << "with the ways to begin";
  d.ctrl(KeyName::z);
  EXPECT_EQ(d.session.draft.phrase, "Hola mi nombre es Alex more") << "what was typed is not lost";
}

TEST(Shell, SaysWhatHiddenCellsWeighAndHowAMaskWasRead) {
  Driver d;
  d.session.draft.mask = {{MaskTerm::Kind::causal, 0, ""}};
  d.step();
  EXPECT_FALSE(d.has("notice/hidden_weight"));
  d.session.draft.mask_fill = 0;
  d.step();
  EXPECT_TRUE(d.has("notice/hidden_weight"));
  EXPECT_TRUE(d.has("heads/hidden_rows")) << "the line below the maps";
  EXPECT_FALSE(d.has("notice/reading"));
  d.session.draft.mask_fill = -std::numeric_limits<double>::infinity();
  d.session.draft.key_phrase = "one two three four five six seven";
  d.session.draft.mask = {{MaskTerm::Kind::causal, 0, ""}};
  d.step();
  EXPECT_FALSE(d.has("notice/hidden_weight"));
  EXPECT_TRUE(d.has("notice/reading"));
}

TEST(Shell, ComparesBackendsFromTheStatusBarAndTellsAReplacedOne) {
  Driver d;
  d.click("status/compare");
  const Job job = d.session.jobs.current();
  EXPECT_EQ(job.title, "Compare backends");
  EXPECT_NE(job.result.find(" ms."), std::string::npos) << job.result;
  EXPECT_TRUE(d.has("notice/job"));
  EXPECT_FALSE(d.has("notice/backend"));
  d.session.draft.backend = BackendChoice::gpu;  // which a session without OpenGL does not have
  d.step();
  EXPECT_EQ(d.session.trace()->backend, "cpu");
  EXPECT_TRUE(d.has("notice/backend"));
}

}  // namespace
}  // namespace headscope::ui
