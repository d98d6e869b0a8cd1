// The strip that names the main views, and the one rule for leaving what it shows.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

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
Document strip_model() {
  return open_document("demo:pronouns", demo_document().request, ViewState());
}

bool strip_says(const Driver& d, const std::string& words) {
  for (const DrawnText& text : d.texts) {
    if (text.words.find(words) != std::string::npos) return true;
  }
  return false;
}

// Shows the entry of a view, which may stand in another group, and presses it.
void press_entry(Driver& d, const MainViewInfo& info) {
  if (!d.has(entry(info.view))) {
    for (const ViewGroupInfo& group : view_groups()) {
      if (group.group == info.group) d.click(std::string("views/group/") + group.name);
    }
  }
  d.click(entry(info.view));
}

struct Window {
  int width, height;
  float scale;
};
constexpr Window kWindows[] = {{960, 640, 1},  {1280, 800, 1}, {1600, 1000, 1},  {2560, 1440, 2},
                               {1280, 800, 2}, {960, 640, 2},  {1280, 800, 1.3f}};

// At 960 pixels the names of all views would be cut.
constexpr float kAllHaveRoomFrom = 1270;

TEST(ViewStrip, HasEveryViewInARowAtEverySizeWithinTheWindow) {
  for (const Window& window : kWindows) {
    SCOPED_TRACE(window.width);
    Document document = strip_model();
    document.view.views_grouped = false;
    Driver d(document, window.width, window.height, window.scale);
    if (static_cast<float>(window.width) / window.scale < kAllHaveRoomFrom) {
      EXPECT_TRUE(d.has("views/group/Why")) << "a row whose names have no room is that of a group";
      continue;
    }
    float x = 0;
    for (const MainViewInfo& info : main_views()) {
      const Rect place = d.rect(entry(info.view));
      EXPECT_TRUE(strip_says(d, info.name)) << info.name;
      EXPECT_GE(place.min.x, x) << info.name << " lies beside the one before";
      EXPECT_GT(place.width(), 12 * window.scale) << info.name;
      x = place.max.x;
    }
    d.click(entry(MainView::bug_lab));
    EXPECT_EQ(shown(d), MainView::bug_lab);
    const Rect leave = d.rect("views/leave");
    EXPECT_GE(leave.min.x, x);
    EXPECT_LE(leave.max.x, d.rect("views/unfold").min.x + 1);
    EXPECT_LE(d.rect("views/unfold").max.x, static_cast<float>(window.width));
  }
}

TEST(ViewStrip, ShowsTheViewsOfOneGroupWithWholeNamesAtEverySize) {
  for (const Window& window : kWindows) {
    SCOPED_TRACE(window.width);
    Driver d(strip_model(), window.width, window.height, window.scale);
    for (const ViewGroupInfo& group : view_groups()) {
      d.click(std::string("views/group/") + group.name);
      EXPECT_EQ(main_view_info(shown(d)).group, group.group);
      for (const MainViewInfo& info : main_views()) {
        EXPECT_EQ(d.has(entry(info.view)), info.group == group.group) << info.name;
        const bool wide = static_cast<float>(window.width) / window.scale >= 960;
        if (info.group == group.group && wide) {
          EXPECT_TRUE(strip_says(d, info.name)) << info.name;
        }
      }
    }
  }
}

TEST(ViewStrip, DropsTheKeysBeforeItShortensNames) {
  const auto shows = [](int width, float scale, const std::string& words, bool grouped) {
    Document document = strip_model();
    document.view.views_grouped = grouped;
    document.view.main_view = MainView::weights;
    Driver d(document, width, 1000, scale);
    return strip_says(d, words);
  };
  EXPECT_TRUE(shows(1600, 1, "Ctrl+Shift+W", true));
  EXPECT_FALSE(shows(2560, 1, "Ctrl+Shift+W", false)) << "all views in a row have no keys";
  EXPECT_TRUE(shows(1280, 1, "Sensitivity", false));
  EXPECT_FALSE(shows(960, 2, "Sensitivity", false));
  EXPECT_TRUE(shows(1600, 2, "Mask", false)) << "short names stay whole";
}

enum class Way { key, strip };
enum class Leave { escape, cross, one_layer, key, same_key };

void enter(Driver& d, const MainViewInfo& info, Way way) {
  if (way == Way::key) {
    press(d, info.shortcut);
  } else {
    press_entry(d, info);
  }
}

void leave(Driver& d, const MainViewInfo& info, Leave way) {
  switch (way) {
    case Leave::escape:
      return d.key(KeyName::escape);
    case Leave::cross:
      return d.click("views/leave");
    case Leave::one_layer:
      return press_entry(d, main_view_info(MainView::layer));
    case Leave::key:
      return press(d, main_view_info(MainView::layer).shortcut);
    case Leave::same_key:
      return press(d, info.shortcut);
  }
}

TEST(ViewStrip, EveryViewIsEnteredAndLeftInEveryWay) {
  Driver d(strip_model(), 1280, 800);
  for (const MainViewInfo& info : main_views()) {
    if (info.view == MainView::layer) continue;
    SCOPED_TRACE(info.name);
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
  Driver d(strip_model());
  press_entry(d, main_view_info(MainView::weights));
  press_entry(d, main_view_info(MainView::script));
  EXPECT_EQ(shown(d), MainView::script);
  d.click(entry(MainView::script));
  EXPECT_EQ(shown(d), MainView::script) << "the view that is shown stays";
}

TEST(ViewStrip, TheFocusComesBack) {
  Driver d(strip_model());
  d.click("phrase");
  press(d, main_view_info(MainView::weights).shortcut);
  EXPECT_NE(d.focus(), "phrase");
  d.key(KeyName::escape);
  EXPECT_EQ(d.focus(), "phrase");
}

TEST(ViewStrip, WorksByTheKeyboard) {
  Driver d(strip_model());
  d.tab_to("views/layer");
  d.key(KeyName::right);
  EXPECT_EQ(d.focus(), "views/layers");
  EXPECT_EQ(shown(d), MainView::layer) << "arrows only move";
  d.key(KeyName::end);
  EXPECT_EQ(d.focus(), entry(MainView::text)) << "the last of the group";
  d.key(KeyName::right);
  EXPECT_EQ(d.focus(), entry(MainView::text));
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
  EXPECT_TRUE(strip_says(d, "There is one"));
  d.click("views/layers");
  EXPECT_EQ(shown(d), MainView::layer);
  d.tab_to("views/layer");
  d.key(KeyName::right);
  EXPECT_EQ(d.focus(), "views/follow") << "arrows pass it by";
}

TEST(ViewStrip, TheEnlargedInspectorIsLeftInTheSameWays) {
  for (const Leave way : {Leave::escape, Leave::cross, Leave::key}) {
    Driver d(strip_model());
    d.click("inspector/expand");
    EXPECT_FALSE(d.has("heads/0"));
    leave(d, main_view_info(MainView::layer), way);
    EXPECT_TRUE(d.has("heads/0"));
  }
  Driver d(strip_model());
  d.click("inspector/expand");
  d.click("inspector/expand");
  EXPECT_TRUE(d.has("heads/0")) << "its own x";
}

TEST(ViewStrip, EscapeLeavesTheViewWhileANoticeStaysAbove) {
  Driver d(strip_model());
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
  Driver d(strip_model(), 1280, 800);
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
  EXPECT_TRUE(strip_says(d, "w59")) << "the whole of it";
}

TEST(ViewStrip, ANoticeOfAViewDoesNotFollowIntoAnother) {
  Driver d;
  press(d, main_view_info(MainView::layers).shortcut);
  EXPECT_TRUE(d.has("notice/layers"));
  press_entry(d, main_view_info(MainView::bug_lab));
  EXPECT_FALSE(d.has("notice/layers"));
  press(d, main_view_info(MainView::layers).shortcut);
  EXPECT_EQ(shown(d), MainView::bug_lab) << "it stays where it is";
  EXPECT_TRUE(d.has("notice/layers"));
  d.key(KeyName::escape);
  EXPECT_FALSE(d.has("notice/layers"));
}

}  // namespace
}  // namespace headscope::ui
