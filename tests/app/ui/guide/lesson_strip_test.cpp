// The strip of the lesson: stops are added, named, moved, shown, played, with mouse and keys.
#include "app/ui/guide/lesson_strip.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "app/session/documents.h"
#include "app/ui/document_title.h"
#include "app/ui/guide_state.h"
#include "app/ui/lesson_notice.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

const LessonState& strip(Driver& d) {
  return d.state.panels.get<LessonState>();
}

const Lesson& lesson(const Driver& d) {
  return d.session.view.lesson;
}

// Three stops: a head of the grid, arcs, the bug lab.
void record(Driver& d) {
  d.session.view.head = 2;
  d.step();
  d.key(KeyName::k, true, true);
  d.type("Head two.");
  d.session.view.heads_show = HeadsShow::arcs;
  d.step();
  d.click("lesson/add");
  d.type("Its lines.");
  d.ctrl(KeyName::b);
  d.key(KeyName::k, true, true);
  d.type("Mistakes.");
}

TEST(LessonStrip, StopsAreRecordedWithWords) {
  Driver d;
  EXPECT_FALSE(d.has("lesson"));
  const Rect status = d.rect("status"), heads = d.rect("heads");
  record(d);
  ASSERT_EQ(lesson(d).size(), 3U);
  EXPECT_EQ(lesson(d)[0].words, "Head two.");
  EXPECT_EQ(lesson(d)[1].words, "Its lines.");
  EXPECT_EQ(lesson(d)[2].words, "Mistakes.");
  EXPECT_EQ(d.rect("lesson").max.y, d.rect("status").min.y) << "above the status bar";
  EXPECT_EQ(d.rect("status").min.y, status.min.y);
  EXPECT_TRUE(d.has("lesson/stop/3"));
  EXPECT_NE(d.state.panels.get<DocumentState>().title.find('*'), std::string::npos) << "not saved yet";
  d.click("lesson/stop/1");
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.view.head, 2);
  EXPECT_EQ(d.session.view.heads_show, HeadsShow::grid);
  EXPECT_LT(d.rect("heads").max.y, heads.max.y + 1) << "the panels make room";
  d.click("lesson/stop/2");
  EXPECT_EQ(d.session.view.heads_show, HeadsShow::arcs);
  d.click("lesson/close");
  EXPECT_FALSE(d.has("lesson"));
  EXPECT_EQ(lesson(d).size(), 3U);
}

TEST(LessonStrip, WithoutAStopItSaysWhatToDo) {
  Driver d;
  d.choose("menu/Help", "Lesson");
  EXPECT_EQ(d.focus(), "lesson/add");
  d.click("lesson/play");
  d.click("lesson/pictures");
  d.click("lesson/remove");
  EXPECT_TRUE(d.for_main.empty());
  d.click("lesson/words");
  d.type("lost?");
  EXPECT_TRUE(lesson(d).empty());
  d.tab_to("lesson/add");
  d.key(KeyName::enter);
  EXPECT_EQ(lesson(d).size(), 1U);
  EXPECT_EQ(d.focus(), "lesson/words") << "the words can be typed at once";
}

TEST(LessonStrip, StopsAreMovedRemovedAndComeBack) {
  Driver d;
  record(d);
  d.click("lesson/stop/1");
  d.key(KeyName::right, false, false, true);
  EXPECT_EQ(lesson(d)[1].words, "Head two.");
  EXPECT_EQ(d.focus(), "lesson/stop/2");
  d.key(KeyName::right);
  EXPECT_EQ(d.session.view.main_view, MainView::bug_lab) << "an arrow shows the stop beside";
  d.key(KeyName::del);
  ASSERT_EQ(lesson(d).size(), 2U);
  d.key(KeyName::z, true);
  ASSERT_EQ(lesson(d).size(), 3U);
  EXPECT_EQ(lesson(d)[2].words, "Mistakes.");
  d.key(KeyName::z, true);
  EXPECT_EQ(lesson(d)[0].words, "Head two.");
  d.click("lesson/stop/1");
  d.click("lesson/remove");
  EXPECT_EQ(lesson(d)[0].words, "Its lines.");
}

TEST(LessonStrip, AStopTakesTheViewThatIsShown) {
  Driver d;
  record(d);
  d.click("lesson/stop/1");
  const std::string before = lesson(d)[0].view;
  d.click("lesson/keep");
  EXPECT_EQ(lesson(d)[0].view, before) << "it is what is shown";
  d.session.view.head = 5;
  d.step();
  d.click("lesson/keep");
  d.session.view.head = 0;
  d.step();
  d.click("lesson/stop/1");
  EXPECT_EQ(d.session.view.head, 5);
  d.key(KeyName::z, true);
  EXPECT_EQ(lesson(d)[0].view, before);
}

TEST(LessonStrip, ItPlaysByKeyAndByMouse) {
  Driver d;
  record(d);
  d.choose("menu/Help", "Play the lesson");
  EXPECT_EQ(strip(d).stop, 0) << "from the beginning, for the last was chosen";
  EXPECT_EQ(strip(d).words, "Head two.");
  EXPECT_FALSE(d.has("lesson/words"));
  d.key(KeyName::left);
  EXPECT_EQ(strip(d).stop, 0);
  d.key(KeyName::enter);
  EXPECT_EQ(strip(d).words, "Its lines.");
  EXPECT_EQ(d.session.view.heads_show, HeadsShow::arcs);
  d.click("lesson/back");
  EXPECT_EQ(strip(d).stop, 0);
  d.key(KeyName::right);
  d.key(KeyName::right);
  EXPECT_EQ(d.session.view.main_view, MainView::bug_lab);
  d.key(KeyName::right);
  EXPECT_EQ(strip(d).shows, LessonState::Shows::stops) << "an arrow does not leave";
  d.key(KeyName::enter);
  EXPECT_EQ(strip(d).shows, LessonState::Shows::recorder) << "Done";
  d.click("lesson/play");
  d.key(KeyName::escape);
  EXPECT_EQ(strip(d).shows, LessonState::Shows::recorder);
  EXPECT_TRUE(d.has("lesson/words"));
}

TEST(LessonStrip, PlayedFromAClosedStripItClosesAgain) {
  Driver d;
  record(d);
  d.key(KeyName::l, true, true);
  EXPECT_FALSE(d.has("lesson"));
  d.choose("menu/Help", "Play the lesson");
  EXPECT_TRUE(d.has("lesson/next"));
  d.click("lesson/leave");
  EXPECT_FALSE(d.has("lesson"));
}

TEST(LessonStrip, LongWordsAndManyStopsFit) {
  for (const auto& [width, height, scale] : {std::tuple{1280, 800, 1.0f}, {960, 640, 1.0f}, {2560, 1600, 2.0f}}) {
    Driver d(width, height, scale);
    d.key(KeyName::k, true, true);
    d.session.view.lesson.resize(100);
    d.state.panels.get<LessonState>().stop = 99;
    d.step();
    EXPECT_EQ(lesson(d).size(), 100U);
    d.key(KeyName::k, true, true);
    EXPECT_EQ(lesson(d).size(), 100U);
    EXPECT_TRUE(d.has("notice/lesson")) << "it says that there are too many";
    EXPECT_TRUE(d.has("lesson/stop/100"));
    EXPECT_FALSE(d.has("lesson/stop/1"));
    EXPECT_GE(d.rect("lesson/words").width(), 150 * scale);
    EXPECT_LE(d.rect("lesson/words").max.x, d.rect("lesson/keep").min.x);
    d.session.view.lesson[99].words = words(2000);
    d.session.view.lesson[0].words = words(2000);
    d.step();
    d.click("lesson/play");
    const Rect area = d.rect("lesson");
    EXPECT_LE(area.height(), 0.41f * static_cast<float>(height)) << "the view keeps the larger part";
    EXPECT_TRUE(d.has("lesson/next"));
  }
}

TEST(LessonStrip, WordsOfEveryScriptAreDrawn) {
  Driver d;
  d.key(KeyName::k, true, true);
  d.type("Ёж смотрит на 猫");
  d.wait(1.5);
  d.click("lesson/play");
  d.wait(1.5);
  EXPECT_EQ(strip(d).words, "Ёж смотрит на 猫");
  bool drawn = false;
  for (const DrawnText& text : d.texts) drawn = drawn || text.words.find("Ёж") != std::string::npos;
  EXPECT_TRUE(drawn);
}

TEST(LessonStrip, PicturesAreTakenByTheWindow) {
  Driver d;
  record(d);
  d.for_main.clear();
  d.click("lesson/pictures");
  ASSERT_EQ(d.for_main.size(), 1U);
  EXPECT_EQ(d.for_main[0].id, CommandId::lesson_pictures);
  LessonState& state = d.state.panels.get<LessonState>();
  state.shows = LessonState::Shows::pictures;
  d.step();
  EXPECT_FALSE(d.has("lesson/next")) << "no button stands in a picture";
}

TEST(LessonStrip, ASessionWithALessonOffersToPlayIt) {
  EXPECT_EQ(lesson_notice({{"a", ""}}).fact, "This session has a lesson of 1 stop.");
  EXPECT_EQ(lesson_notice({{"a", ""}, {"b", ""}}).fact, "This session has a lesson of 2 stops.");
  Driver d;
  record(d);
  d.key(KeyName::l, true, true);
  put_notice(d.state, lesson_notice(lesson(d)));
  d.step();
  d.click("notice/lesson/button");
  EXPECT_TRUE(d.has("lesson/next"));
  EXPECT_FALSE(d.has("notice/lesson/button")) << "what it offered is done";
}

}  // namespace
}  // namespace headscope::ui
