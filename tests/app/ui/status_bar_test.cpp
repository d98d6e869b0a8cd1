// The bottom line and the ticks of the menu View: what is shown, and what one can do about it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "app/session/session.h"
#include "app/ui/command_list.h"
#include "app/ui/main_view.h"
#include "core/request/request_text.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

Document model() {
  Document document = open_document("demo:pronouns", demo_document().request, ViewState());
  document.view.views_grouped = false;
  return document;
}

bool says(const Driver& d, const std::string& words) {
  for (const DrawnText& text : d.texts) {
    if (text.words == words) return true;
  }
  return false;
}

// Whether the menu View ticks the line.
bool ticked(Driver& d, const std::string& title) {
  d.click("menu/View");
  const bool result = d.has("menu/View/" + title + "/ticked");
  EXPECT_TRUE(d.has("menu/View/" + title)) << title;
  d.key(KeyName::escape);
  return result;
}

TEST(StatusBar, APinnedResultLeadsToItsViewAndCanBeLetGo) {
  Driver d(model());
  d.key(KeyName::d, true, true);
  ASSERT_NE(d.session.pinned(), nullptr);
  d.click("status/pinned");
  EXPECT_EQ(d.session.view.main_view, MainView::compare);
  d.click("status/pinned");
  EXPECT_EQ(d.state.open_combo, "status/pinned");
  EXPECT_NE(d.session.pinned(), nullptr) << "one click too many lets nothing go";
  d.click("status/pinned/Unpin A");
  EXPECT_EQ(d.session.pinned(), nullptr);
  EXPECT_FALSE(d.has("status/pinned"));
}

TEST(StatusBar, SaysWhatItsWordsMean) {
  Driver d(model());
  for (const char* name : {"status/state", "status/time", "status/backend", "status/tokens", "status/compare"}) {
    d.hover(name);
    const std::size_t before = d.texts.size();
    d.wait(0.6);
    EXPECT_GT(d.texts.size(), before) << name;
  }
}

TEST(StatusBar, SaysHowManyTokensOfAForwardWereNew) {
  Driver d;
  find_request_option("mask")->set(d.session.draft, "causal");
  find_request_option("phrase")->set(d.session.draft, "one two three");
  d.step(3);
  d.click("phrase");
  d.key(KeyName::end);
  d.type(" four");
  const bool said = std::any_of(d.texts.begin(), d.texts.end(), [](const DrawnText& text) {
    return text.words.starts_with("forward ") && text.words.ends_with(", 1 of 4 tokens new");
  });
  EXPECT_TRUE(said);
}

TEST(StatusBar, SaysHowToLeaveAView) {
  Driver d(model());
  EXPECT_FALSE(says(d, "Esc goes back to one layer"));
  for (const MainViewInfo& info : main_views()) {
    d.click(std::string("views/") + main_view_word(info.view));
    EXPECT_EQ(says(d, "Esc goes back to one layer"), info.view != MainView::layer) << info.name;
  }
}

TEST(StatusBar, TheKeysOfViewsAreShortSentences) {
  for (const MainViewInfo& info : main_views()) {
    for (const std::string key : info.keys) {
      EXPECT_NE(key.find(' '), std::string::npos) << key << ": a key and what it does";
      EXPECT_TRUE(std::isupper(static_cast<unsigned char>(key[0]))) << key;
    }
  }
}

TEST(MenuView, TicksTheViewThatIsShown) {
  Driver d(model());
  for (const MainViewInfo& shown : main_views()) {
    d.click(std::string("views/") + main_view_word(shown.view));
    d.click("menu/View");
    for (const MainViewInfo& info : main_views()) {
      EXPECT_TRUE(d.has(std::string("menu/View/") + info.name)) << info.name;
      EXPECT_EQ(d.has(std::string("menu/View/") + info.name + "/ticked"), info.view == shown.view) << info.name;
    }
    d.key(KeyName::escape);
  }
}

TEST(MenuView, TicksThePanelsOnScreen) {
  Driver d(model());
  for (const char* panel : {"Request panel", "Stages", "Concat panel", "Inspector"}) {
    EXPECT_TRUE(ticked(d, panel)) << panel;
  }
  d.key(KeyName::f9);
  d.key(KeyName::f7);
  EXPECT_FALSE(ticked(d, "Request panel"));
  EXPECT_FALSE(ticked(d, "Concat panel"));
  d.click("views/bug_lab");
  for (const char* panel : {"Stages", "Concat panel", "Inspector"}) EXPECT_FALSE(ticked(d, panel)) << panel;
  d.key(KeyName::escape);
  d.click("inspector/expand");
  EXPECT_FALSE(ticked(d, "Concat panel"));
  EXPECT_TRUE(ticked(d, "Inspector"));
}

TEST(MenuView, TicksTheRequestThatLiesOverTheOthers) {
  Driver d(model(), 1280, 800);
  EXPECT_FALSE(ticked(d, "Request panel"));
  EXPECT_FALSE(ticked(d, "Stages")) << "its names only";
  d.key(KeyName::f9);
  EXPECT_TRUE(ticked(d, "Request panel"));
}

}  // namespace
}  // namespace headscope::ui
