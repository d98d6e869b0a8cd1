// A lesson for students out of the window: what can be chosen, what is refused, what is written.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "app/session/lesson_handout.h"
#include "app/session/lesson_stops.h"
#include "app/ui/handout_state.h"
#include "app/ui/main_view.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

class HandoutDialog : public testing::Test {
 protected:
  HandoutDialog() : driver_(phrase_document(kTwelve)) {}
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("headscope-handout-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    driver_.settings.export_folder = folder_.string();
    driver_.step(3);
    ViewState first = driver_.session.view, second = first;
    first.cell = Cell{7, 1};
    second.head = 3;
    driver_.session.view.lesson = {stop_of(first, "It looks back."), stop_of(second, "Another head.")};
    driver_.step(2);
  }
  void TearDown() override { fs::remove_all(folder_); }

  HandoutState& state() { return driver_.state.panels.get<HandoutState>(); }
  void open() {
    driver_.push(CommandId::handout);
    driver_.step(2);
  }
  void set_text(const std::string& field, const std::string& text) {
    driver_.click(field);
    driver_.ctrl(KeyName::a);
    driver_.type(text);
    driver_.step();
  }
  void write() {
    driver_.click("handout/primary");
    for (int i = 0; i < 4000 && driver_.session.jobs.current().running; ++i) {
      driver_.step();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_FALSE(driver_.session.jobs.current().failed) << driver_.session.jobs.current().result;
  }
  bool says(const std::string& words) const {
    return std::any_of(driver_.texts.begin(), driver_.texts.end(),
                       [&](const DrawnText& text) { return text.words.find(words) != std::string::npos; });
  }
  std::string text_of(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
  Driver driver_;
};

TEST_F(HandoutDialog, ALessonIsWrittenOnPaper) {
  open();
  EXPECT_EQ(driver_.state.dialog, DialogKind::handout);
  EXPECT_EQ(state().problem, "");
  EXPECT_EQ(state().facts, "2 stops on 1 page");
  EXPECT_TRUE(driver_.has("handout/preview"));
  driver_.click("handout/stops/1 stop");
  driver_.step();
  EXPECT_EQ(state().facts, "2 stops on 2 pages");
  driver_.click("handout/paper/letter");
  driver_.step();
  EXPECT_EQ(state().preview.height, 725) << "the page of the other size";
  set_text("handout/title", "Who is it?");
  EXPECT_EQ(state().shown->title, "Who is it?");
  set_text("handout/file", "class");
  write();
  EXPECT_EQ(driver_.state.dialog, DialogKind::none);
  EXPECT_EQ(text_of("class.pdf").substr(0, 5), "%PDF-");
  EXPECT_NE(driver_.session.jobs.current().result.find("Wrote class.pdf, 2 stops on 2 pages, to"), std::string::npos)
      << driver_.session.jobs.current().result;
}

TEST_F(HandoutDialog, APageForABrowserHoldsTheWords) {
  open();
  driver_.click("handout/form/web page");
  driver_.step();
  EXPECT_NE(state().facts.find("2 stops beside live maps"), std::string::npos) << state().facts;
  EXPECT_FALSE(driver_.has("handout/preview"));
  write();
  const std::string page = text_of("handout.html");
  EXPECT_NE(page.find("It looks back."), std::string::npos);
  EXPECT_NE(page.find("Another head."), std::string::npos);
  open();
  EXPECT_TRUE(says("is replaced")) << "a file of this name is there now";
  driver_.click("handout/form/PDF");
  driver_.step(2);
  EXPECT_FALSE(says("is replaced"));
}

TEST_F(HandoutDialog, WithoutALessonOneSentenceSaysWhatToDo) {
  driver_.session.view.lesson.clear();
  driver_.step(2);
  open();
  EXPECT_EQ(state().problem, kNoLesson);
  driver_.click("handout/primary");
  EXPECT_EQ(driver_.state.dialog, DialogKind::handout);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(HandoutDialog, WhatCannotBeIsSaidAndNotWritten) {
  ViewState beyond = driver_.session.view;
  beyond.lesson.clear();
  beyond.cell = Cell{40, 1};
  driver_.session.view.lesson.push_back(stop_of(beyond, "Of a longer text."));
  driver_.step(2);
  open();
  EXPECT_NE(state().problem.find("stop 3: query 40 and key 1 are picked"), std::string::npos) << state().problem;
  driver_.click("handout/primary");
  EXPECT_EQ(driver_.state.dialog, DialogKind::handout);
  driver_.session.view.lesson.pop_back();
  driver_.step(2);
  EXPECT_EQ(state().problem, "");
  set_text("handout/file", "a/b.pdf");
  EXPECT_NE(state().problem.find("slash"), std::string::npos) << state().problem;
  driver_.click("handout/primary");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(HandoutDialog, ThePageIsDrawnAnewOnlyWhenSomethingChanged) {
  open();
  const std::uint64_t version = state().preview_version;
  driver_.step(3);
  EXPECT_EQ(state().preview_version, version);
  set_text("handout/title", "Other");
  EXPECT_GT(state().preview_version, version);
}

TEST_F(HandoutDialog, ViewsAreNamedAsTheMenuNamesThem) {
  for (const MainViewInfo& info : main_views()) {
    EXPECT_STREQ(way_to(info.view).name, info.name);
    EXPECT_STREQ(way_to(info.view).key, info.shortcut);
  }
}

}  // namespace
}  // namespace headscope::ui
