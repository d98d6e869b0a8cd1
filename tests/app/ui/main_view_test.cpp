// The views that take the place of one layer's panels.
#include "app/ui/main_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "app/ui/command_list.h"
#include "app/ui/guide/guide_page.h"
#include "app/ui/shortcuts.h"
#include "tests/app/session/every_main_view.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

bool has_notice(const Driver& d, const std::string& key, const std::string& fact) {
  return std::any_of(d.state.notices.begin(), d.state.notices.end(),
                     [&](const Notice& notice) { return notice.key == key && notice.fact == fact; });
}

// "Ctrl+Shift+W" as a key of the window.
void press(Driver& d, std::string_view shortcut) {
  const auto holds = [&](std::string_view modifier) { return shortcut.find(modifier) != std::string_view::npos; };
  const std::size_t plus = shortcut.rfind('+');
  const std::string_view name = plus == std::string_view::npos ? shortcut : shortcut.substr(plus + 1);
  ASSERT_NE(key_named(name), KeyName::unknown) << shortcut;
  d.key(key_named(name), holds("Ctrl+"), holds("Shift+"), holds("Alt+"));
}

bool has_notice_of(const Driver& d, const MainViewInfo& info) {
  return std::any_of(d.state.notices.begin(), d.state.notices.end(),
                     [&](const Notice& notice) { return notice.key == main_view_word(info.view); });
}

// Opens and closes every view by its command; returns those that opened. The others have a notice that says why not.
std::set<MainView> opened_in_turn(Driver& d) {
  std::set<MainView> opened;
  for (const MainViewInfo& info : main_views()) {
    if (info.command == CommandId::none) continue;
    SCOPED_TRACE(info.name);
    press(d, info.shortcut);
    if (d.session.view.main_view != info.view) {
      EXPECT_EQ(d.session.view.main_view, MainView::layer);
      EXPECT_TRUE(has_notice_of(d, info));
      continue;
    }
    EXPECT_FALSE(has_notice_of(d, info));
    EXPECT_NE(d.focus(), "");
    opened.insert(info.view);
    press(d, info.shortcut);
    EXPECT_EQ(d.session.view.main_view, MainView::layer) << "the same command closes it";
  }
  return opened;
}

TEST(MainView, EveryEnumeratorHasARow) {
  const std::vector<MainView> views = every_main_view();
  ASSERT_EQ(main_views().size(), views.size()) << "a view has no row, or two";
  for (const MainView view : views) EXPECT_EQ(main_view_info(view).view, view);
  EXPECT_EQ(main_views().front().view, MainView::layer);
}

TEST(MainView, EveryRowHasEveryColumn) {
  for (const MainViewInfo& info : main_views()) {
    const std::string word = main_view_word(info.view);
    EXPECT_FALSE(word.empty());
    EXPECT_FALSE(std::string(info.name).empty()) << word;
    EXPECT_FALSE(std::string(info.also).empty()) << word;
    const std::string how = info.how;
    EXPECT_GT(how.size(), 30U) << word;
    EXPECT_LT(how.size(), 150U) << word << ": a line has to hold it";
    EXPECT_TRUE(how.ends_with(".") && !how.starts_with(" "))
        << word << ": it ends the sentence after 'How to read it:'";
    EXPECT_NE(find_guide_page(info.guide), nullptr) << word;
    if (info.view == MainView::layer) continue;  // its panels are drawn one by one, and no command opens it
    EXPECT_NE(info.draw, nullptr) << word;
    EXPECT_NE(info.focus, nullptr) << word;
    ASSERT_NE(info.command, CommandId::none) << word << ": how does one leave it?";
    EXPECT_FALSE(std::string(info.shortcut).empty()) << word;
    EXPECT_FALSE(std::string(info.help).empty()) << word;
    EXPECT_EQ(main_view_of(info.command), &info) << word << ": a command opens one view";
  }
}

TEST(MainView, TheListOfCommandsHasEveryViewOnce) {
  for (const MainViewInfo& info : main_views()) {
    if (info.command == CommandId::none) continue;
    const auto is_its_line = [&](const CommandInfo& line) {
      return line.id == info.command && line.title == std::string(info.name) && line.menu == std::string("View");
    };
    EXPECT_EQ(std::count_if(command_list().begin(), command_list().end(), is_its_line), 1) << info.name;
  }
}

TEST(MainView, OpensAndClosesByItsCommand) {
  Driver demo;
  const std::set<MainView> opened = opened_in_turn(demo);
  for (const MainViewInfo& info : main_views()) {
    if (info.command == CommandId::none) continue;
    EXPECT_EQ(opened.contains(info.view), info.view != MainView::layers) << info.name;
  }
  EXPECT_FALSE(has_notice(demo, "layers", "There is one layer.")) << "it left with the view that it was shown in";
  press(demo, main_view_info(MainView::layers).shortcut);
  EXPECT_TRUE(has_notice(demo, "layers", "There is one layer."));
}

TEST(MainView, LayersOpenWhereThereAreSome) {
  Driver model(open_document("demo:pronouns", Request(), ViewState()));
  press(model, main_view_info(MainView::layers).shortcut);
  EXPECT_EQ(model.session.view.main_view, MainView::layers);
  EXPECT_FALSE(has_notice_of(model, main_view_info(MainView::layers)));
}

TEST(MainView, WaitsForTheFirstResultOrSaysWhyNot) {
  Document document = demo_document();
  document.request.heads = 7;
  document.request.d_model = 32;
  Driver d(document);
  ASSERT_EQ(d.session.trace(), nullptr);
  const std::set<MainView> opened = opened_in_turn(d);
  for (const MainViewInfo& info : main_views()) {
    if (info.command == CommandId::none) continue;
    EXPECT_EQ(opened.contains(info.view), info.waits || info.obstacle == nullptr) << info.name;
  }
  press(d, main_view_info(MainView::sensitivity).shortcut);
  EXPECT_TRUE(d.names("sensitivity").empty()) << "one layer's panels are shown until there is a result";
  d.session.draft.heads = 4;
  d.step(3);
  ASSERT_NE(d.session.trace(), nullptr);
  EXPECT_FALSE(d.names("sensitivity").empty());
}

TEST(MainView, SaysThatNothingIsComputedYet) {
  Document document = demo_document();
  document.request.heads = 7;
  document.request.d_model = 32;
  Driver d(document);
  ASSERT_EQ(d.session.trace(), nullptr);
  d.ctrl(KeyName::m);
  EXPECT_TRUE(has_notice(d, "mask", "Nothing is computed yet."));
  d.key(KeyName::w, true, true);
  EXPECT_TRUE(has_notice(d, "weights", "Nothing is computed yet."));
  d.key(KeyName::f3);
  EXPECT_TRUE(has_notice(d, "layers", "Nothing is computed yet."));
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  d.session.draft.heads = 4;
  d.step(3);
  ASSERT_NE(d.session.trace(), nullptr);
  d.ctrl(KeyName::m);
  EXPECT_TRUE(d.has("mask"));
}

}  // namespace
}  // namespace headscope::ui
