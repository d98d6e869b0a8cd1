// The stops of a lesson: taken from a view, shown again, through files and undo.
#include "app/session/lesson_stops.h"

#include <gtest/gtest.h>

#include "app/session/documents.h"
#include "app/session/state_json.h"
#include "core/base/error.h"
#include "core/export/session_file.h"
#include "tests/app/session/session_fixture.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

ViewState arcs_view() {
  ViewState view;
  view.heads_show = HeadsShow::arcs;
  view.head = 3;
  view.cell = Cell{2, 1};
  view.inspector_width = 500;
  return view;
}

Lesson two_stops() {
  ViewState bug_lab;
  bug_lab.main_view = MainView::bug_lab;
  return {stop_of(arcs_view(), "It looks at \"hola\"."), stop_of(bug_lab, "")};
}

TEST(LessonStops, AStopShowsItsViewInTheLayoutOfNow) {
  ViewState now;
  now.inspector_width = 400;
  now.stage = StageId::concat;
  now.lesson = two_stops();
  ViewState shown = view_at(now.lesson[0], now);
  EXPECT_EQ(shown.heads_show, HeadsShow::arcs);
  EXPECT_EQ(shown.head, 3);
  EXPECT_EQ(shown.cell, (Cell{2, 1}));
  EXPECT_EQ(shown.inspector_width, 400);
  EXPECT_EQ(shown.lesson, now.lesson);
  EXPECT_EQ(stop_of(shown, "").view, now.lesson[0].view) << "shown and taken again it is the same";
  shown = view_at(now.lesson[1], shown);
  EXPECT_EQ(shown.main_view, MainView::bug_lab);
  EXPECT_EQ(shown.heads_show, HeadsShow::grid);
  EXPECT_EQ(view_at(stop_of(ViewState(), ""), shown).main_view, MainView::layer);
}

TEST(LessonStops, AViewKeepsItsLessonAsJson) {
  ViewState view = arcs_view();
  view.lesson = two_stops();
  const ViewState back = parse_view_state(view_state_json(view));
  EXPECT_EQ(back.lesson, view.lesson);
  EXPECT_EQ(window_of_picture(view), window_of_picture(arcs_view())) << "pictures have none";
  EXPECT_NE(window_json(view).find("hola"), std::string::npos);
  EXPECT_EQ(view_state_json(ViewState()).find("lesson"), std::string::npos);
}

TEST(LessonStops, WhatIsNoLessonIsRefused) {
  const auto refusal = [](const std::string& lesson) -> std::string {
    try {
      parse_view_state("{\"lesson\": " + lesson + "}");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("[]"), "");
  EXPECT_EQ(refusal("null"), "");
  EXPECT_NE(refusal("{}").find("'lesson'"), std::string::npos);
  EXPECT_NE(refusal("[1]").find("'lesson'"), std::string::npos);
  EXPECT_NE(refusal("[{\"words\": 1}]").find("'words'"), std::string::npos);
  EXPECT_NE(refusal("[{\"view\": []}]").find("'view'"), std::string::npos);
  EXPECT_NE(refusal("[{\"view\": {\"stage\": \"nothing\"}}]").find("'stage'"), std::string::npos);
  std::string many = "[{}";
  for (std::size_t k = 0; k < kMostLessonStops; ++k) many += ",{}";
  EXPECT_NE(refusal(many + "]").find("100"), std::string::npos);
  const ViewState nested = parse_view_state("{\"lesson\": [{\"view\": {\"lesson\": [{\"words\": \"in\"}]}}]}");
  ASSERT_EQ(nested.lesson.size(), 1U);
  EXPECT_EQ(nested.lesson[0].view, "") << "a stop has no lesson of its own";
}

TEST(LessonStops, OneStopWithOtherWordsIsFound) {
  const Lesson before = two_stops();
  Lesson after = before;
  EXPECT_EQ(stop_with_other_words(before, after), -1);
  after[1].words = "Look.";
  EXPECT_EQ(stop_with_other_words(before, after), 1);
  after[0].words = "Look.";
  EXPECT_EQ(stop_with_other_words(before, after), -1);
  after = before;
  after[1].words = "Look.";
  after[1].view = "";
  EXPECT_EQ(stop_with_other_words(before, after), -1);
  after.pop_back();
  EXPECT_EQ(stop_with_other_words(before, after), -1);
}

TEST(LessonStops, EveryChangeIsAStepOfUndoAndTypingIsOne) {
  ManualSession s;
  Session& session = *s.session;
  session.draft.phrase = "start";
  session.update(at(0));
  session.view.lesson = two_stops();
  session.update(at(100));
  for (const char* words : {"L", "Lo", "Look"}) {
    session.view.lesson[1].words = words;
    session.update(at(200));
  }
  session.end_undo_step();
  session.view.lesson.erase(session.view.lesson.begin());
  session.update(at(300));
  session.undo();
  session.update(at(400));
  ASSERT_EQ(session.view.lesson.size(), 2U);
  EXPECT_EQ(session.view.lesson[1].words, "Look");
  session.undo();
  session.update(at(500));
  EXPECT_EQ(session.view.lesson, two_stops()) << "what was typed without a pause is one step";
  session.undo();
  session.update(at(600));
  EXPECT_TRUE(session.view.lesson.empty());
  EXPECT_FALSE(session.can_undo());
  session.redo();
  session.redo();
  session.update(at(700));
  EXPECT_EQ(session.view.lesson[1].words, "Look");
}

TEST(LessonStops, ALessonStaysWithItsPhrase) {
  const TemporaryFolder folder;
  ViewState view;
  view.lesson = two_stops();
  Request request;
  request.phrase = "hola mi";
  const std::string kept = folder.write("kept.json", session_json(request, std::nullopt, window_json(view)));
  EXPECT_EQ(open_document(kept, Request(), ViewState()).view.lesson, view.lesson);
  const std::string without = folder.write("without.json", session_json(request, std::nullopt));
  EXPECT_TRUE(open_document(without, request, view).view.lesson.empty()) << "that session has none";
  const std::string words = folder.write("words.txt", "other words");
  EXPECT_TRUE(open_document(words, request, view).view.lesson.empty());
  EXPECT_EQ(seeded_document(request, view, "").view.lesson, view.lesson) << "other weights, the same phrase";
}

}  // namespace
}  // namespace headscope
