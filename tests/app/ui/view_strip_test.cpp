// The strip that names the main views, and the one rule for leaving what it shows.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "app/ui/command_list.h"
#include "app/ui/main_view.h"
#include "app/ui/shell_state.h"
#include "app/ui/shortcuts.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

std::string entry(MainView view) {
  return std::string("views/") + main_view_word(view);
}

MainView shown(const Driver& d) {
  return d.session.view.main_view;
}

// "Ctrl+Shift+W" as a key of the window.
void press(Driver& d, std::string_view shortcut) {
  const auto holds = [&](std::string_view modifier) { return shortcut.find(modifier) != std::string_view::npos; };
  const std::size_t plus = shortcut.rfind('+');
  const std::string_view name = plus == std::string_view::npos ? shortcut : shortcut.substr(plus + 1);
  d.key(key_named(name), holds("Ctrl+"), holds("Shift+"), holds("Alt+"));
}

// A model with two layers: every view can open.
Document model() {
  return open_document("demo:pronouns", demo_document().request, ViewState());
}

bool says(const Driver& d, const std::string& words) {
  for (const DrawnText& text : d.texts) {
    if (text.words.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(ViewStrip, HasEveryViewAtEverySizeWithinTheWindow) {
  struct Window {
    int width, height;
    float scale;
  };
  for (const Window& window : {Window{960, 640, 1}, Window{1280, 800, 1}, Window{1600, 1000, 1}, Window{2560, 1440, 2},
                               Window{1280, 800, 2}, Window{960, 640, 2}}) {
    SCOPED_TRACE(window.width);
    Driver d(model(), window.width, window.height, window.scale);
    float x = 0;
    for (const MainViewInfo& info : main_views()) {
      const Rect place = d.rect(entry(info.view));
      EXPECT_GE(place.min.x, x) << info.name << " lies beside the one before";
      EXPECT_GT(place.width(), 12 * window.scale) << info.name;
      x = place.max.x;
    }
    d.click(entry(MainView::bug_lab));
    EXPECT_EQ(shown(d), MainView::bug_lab);
    const Rect leave = d.rect("views/leave");
    EXPECT_GE(leave.min.x, x);
    EXPECT_LE(leave.max.x, static_cast<float>(window.width));
  }
}

TEST(ViewStrip, DropsTheKeysBeforeItShortensNames) {
  const auto shows = [](int width, float scale, const std::string& words) {
    Driver d(model(), width, 1000, scale);
    return says(d, words);
  };
  EXPECT_TRUE(shows(2560, 1, "Ctrl+Shift+W"));
  EXPECT_FALSE(shows(960, 1, "Ctrl+Shift+W"));
  EXPECT_TRUE(shows(1120, 1, "Sensitivity"));
  EXPECT_FALSE(shows(960, 2, "Sensitivity"));
  EXPECT_TRUE(shows(1280, 2, "Mask")) << "short names stay whole";
}

enum class Way { key, strip };
enum class Leave { escape, cross, one_layer, key, same_key };

void enter(Driver& d, const MainViewInfo& info, Way way) {
  if (way == Way::key) {
    press(d, info.shortcut);
  } else {
    d.click(entry(info.view));
  }
}

void leave(Driver& d, const MainViewInfo& info, Leave way) {
  switch (way) {
    case Leave::escape:
      return d.key(KeyName::escape);
    case Leave::cross:
      return d.click("views/leave");
    case Leave::one_layer:
      return d.click(entry(MainView::layer));
    case Leave::key:
      return press(d, main_view_info(MainView::layer).shortcut);
    case Leave::same_key:
      return press(d, info.shortcut);
  }
}

TEST(ViewStrip, EveryViewIsEnteredAndLeftInEveryWay) {
  Driver d(model(), 1280, 800);
  for (const MainViewInfo& info : main_views()) {
    if (info.view == MainView::layer) continue;
    SCOPED_TRACE(info.title);
    int k = 0;
    for (const Leave way : {Leave::escape, Leave::cross, Leave::one_layer, Leave::key, Leave::same_key}) {
      enter(d, info, k++ % 2 == 0 ? Way::strip : Way::key);
      ASSERT_EQ(shown(d), info.view) << "way " << k;
      EXPECT_TRUE(d.has("views/leave"));
      leave(d, info, way);
      EXPECT_EQ(shown(d), MainView::layer) << "way " << k;
      EXPECT_FALSE(d.has("views/leave"));
      EXPECT_TRUE(d.has("heads/0"));
    }
  }
}

TEST(ViewStrip, GoesFromOneViewStraightToAnother) {
  Driver d(model());
  d.click(entry(MainView::weights));
  d.click(entry(MainView::script));
  EXPECT_EQ(shown(d), MainView::script);
  d.click(entry(MainView::script));
  EXPECT_EQ(shown(d), MainView::script) << "the view that is shown stays";
}

TEST(ViewStrip, TheFocusComesBack) {
  Driver d(model());
  d.click("phrase");
  press(d, main_view_info(MainView::weights).shortcut);
  EXPECT_NE(d.focus(), "phrase");
  d.key(KeyName::escape);
  EXPECT_EQ(d.focus(), "phrase");
}

TEST(ViewStrip, WorksByTheKeyboard) {
  Driver d(model());
  d.tab_to("views/layer");
  d.key(KeyName::right);
  EXPECT_EQ(d.focus(), "views/layers");
  EXPECT_EQ(shown(d), MainView::layer) << "arrows only move";
  d.key(KeyName::end);
  EXPECT_EQ(d.focus(), entry(main_views().back().view));
  d.key(KeyName::right);
  EXPECT_EQ(d.focus(), entry(main_views().back().view));
  d.key(KeyName::home);
  d.key(KeyName::right);
  d.key(KeyName::enter);
  EXPECT_EQ(shown(d), MainView::layers);
  EXPECT_EQ(d.focus(), "layers/grid") << "the view has the keys now";
}

TEST(ViewStrip, WhatCannotOpenSaysWhy) {
  Driver d;  // one layer of seeded weights
  d.hover("views/layers");
  d.wait(0.6);
  EXPECT_TRUE(says(d, "There is one"));
  d.click("views/layers");
  EXPECT_EQ(shown(d), MainView::layer);
  d.tab_to("views/layer");
  d.key(KeyName::right);
  EXPECT_EQ(d.focus(), "views/follow") << "arrows pass it by";
}

TEST(ViewStrip, TheEnlargedInspectorIsLeftInTheSameWays) {
  for (const Leave way : {Leave::escape, Leave::cross, Leave::key}) {
    Driver d(model());
    d.click("inspector/expand");
    EXPECT_FALSE(d.has("heads/0"));
    leave(d, main_view_info(MainView::layer), way);
    EXPECT_TRUE(d.has("heads/0"));
  }
  Driver d(model());
  d.click("inspector/expand");
  d.click("inspector/expand");
  EXPECT_TRUE(d.has("heads/0")) << "its own x";
}

TEST(ViewStrip, EscapeLeavesTheViewWhileANoticeStaysAbove) {
  Driver d(model());
  put_notice(d.state, {Notice::Kind::info, "Something happened.", "It can wait.", "other"});
  press(d, main_view_info(MainView::bug_lab).shortcut);
  d.key(KeyName::escape);
  EXPECT_EQ(shown(d), MainView::layer);
  EXPECT_TRUE(d.has("notice/other"));
  d.key(KeyName::escape);
  EXPECT_FALSE(d.has("notice/other"));
  put_notice(d.state, {Notice::Kind::info, "Something happened.", "It can wait.", "other"});
  d.step();
  d.click("notice/other/close");
  EXPECT_FALSE(d.has("notice/other"));
}

// What a bar cannot hold is shown whole while the mouse rests on it, and its buttons still take the mouse.
TEST(ViewStrip, ANoticeThatIsCutShortIsReadPressedAndClosed) {
  Driver d(model(), 1280, 800);
  const std::string advice = words(60);
  const auto put = [&] {
    put_notice(d.state, {Notice::Kind::info, "Something happened.", advice, "long"});
    d.state.notices.back().button = "Do";
    d.state.notices.back().command = {main_view_info(MainView::bug_lab).command, ""};
    d.step();
  };
  put();
  ASSERT_TRUE(d.has("notice/long/words"));
  d.click("notice/long/close");
  EXPECT_FALSE(d.has("notice/long"));
  put();
  d.click("notice/long/button");
  EXPECT_EQ(shown(d), MainView::bug_lab);
  EXPECT_FALSE(d.has("notice/long"));
  put();
  d.move({d.rect("notice/long/words").min.x + 20, d.rect("notice/long/words").center().y});
  d.wait(2);
  EXPECT_TRUE(says(d, "w59")) << "the whole of it";
}

TEST(ViewStrip, ANoticeOfAViewDoesNotFollowIntoAnother) {
  Driver d;
  press(d, main_view_info(MainView::layers).shortcut);
  EXPECT_TRUE(d.has("notice/layers"));
  d.click(entry(MainView::bug_lab));
  EXPECT_FALSE(d.has("notice/layers"));
  press(d, main_view_info(MainView::layers).shortcut);
  EXPECT_EQ(shown(d), MainView::bug_lab) << "it stays where it is";
  EXPECT_TRUE(d.has("notice/layers"));
  d.key(KeyName::escape);
  EXPECT_FALSE(d.has("notice/layers"));
}

TEST(RequestOver, IsClosedByEscapeByItsCrossAndByAClickBesideIt) {
  Driver d(model(), 1280, 800);
  const auto open = [&] {
    d.key(KeyName::f9);
    ASSERT_TRUE(d.has("request/weights"));
  };
  open();
  d.key(KeyName::escape);
  EXPECT_FALSE(d.has("request/weights"));
  open();
  d.click("request/close");
  EXPECT_FALSE(d.has("request/weights"));
  open();
  d.click_at({900, 700});
  EXPECT_FALSE(d.has("request/weights"));
  open();
  d.click("menu/View");
  EXPECT_TRUE(d.has("request/weights")) << "a menu may speak of it";
  d.key(KeyName::escape);
  d.choose("request/mask_order", "before scale");
  EXPECT_TRUE(d.has("request/weights")) << "a list of its own";
}

TEST(RequestOver, LeavesBeforeTheViewBelowIt) {
  Driver d(model(), 1280, 800);
  d.click(entry(MainView::weights));
  d.key(KeyName::f9);
  ASSERT_TRUE(d.has("request/weights"));
  d.key(KeyName::escape);
  EXPECT_FALSE(d.has("request/weights"));
  EXPECT_EQ(shown(d), MainView::weights);
  d.key(KeyName::escape);
  EXPECT_EQ(shown(d), MainView::layer);
}

}  // namespace
}  // namespace headscope::ui
