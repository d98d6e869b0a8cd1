// One Ctrl+Z takes back whatever was done last: an edit, other weights, another document.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/guide/examples.h"
#include "core/export/session_file.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

constexpr const char* kInduction = "cat box ink fox jam cat box ink fox jam";

// By the button of a notice.
void execute(Driver& d, Command command) {
  put_notice(d.state, {.fact = "Do it.", .advice = "", .key = "test", .button = "Do", .command = std::move(command)});
  d.step();
  d.click("notice/test/button");
}

TEST(UndoTimeline, EveryWayToAnotherDocumentIsOneStep) {
  const TemporaryFolder folder;
  Request saved;
  saved.phrase = "saved words";
  ViewSpec view;
  view.head = 2;
  const std::string file = folder.write("mine.json", session_json(saved, view));
  const std::string text = folder.write("words.txt", "words of a file");
  const std::vector<std::function<void(Driver&)>> ways = {
      [](Driver& d) { d.choose("request/weights", "demo: induction"); },
      [](Driver& d) { d.choose("request/weights", "seeded"); },
      [](Driver& d) { d.ctrl(KeyName::n); },
      [saved, view](Driver& d) {
        d.clipboard = session_json(saved, view);
        d.choose("menu/File", "Open from the clipboard");
      },
      [](Driver& d) {
        execute(d, {CommandId::open_example, all_examples()[1].id});
      },
      [](Driver& d) {
        execute(d, {CommandId::set_option, "model=demo:induction"});
      },
      [&](Driver& d) {
        execute(d, {CommandId::open_path, file});
      },
      [&](Driver& d) { d.drop(file); },
      [&](Driver& d) { d.drop(text); },
  };
  for (std::size_t k = 0; k < ways.size(); ++k) {
    const Document begun = open_document("demo:pronouns", Request(), ViewState());
    Driver d(begun);
    d.session.draft.phrase = "The street was wide";
    d.session.view.head = 3;
    d.session.view.cell = Cell{1, 2};
    d.step();
    const Request draft = d.session.draft;
    const DocumentIdentity document = d.session.document;
    ways[k](d);
    d.step();
    EXPECT_NE(d.session.draft, draft) << k;
    EXPECT_NE(d.session.document, document) << k;
    const Request opened = d.session.draft;
    d.ctrl(KeyName::z);
    EXPECT_EQ(d.session.draft, draft) << k;
    EXPECT_EQ(d.session.document, document) << k;
    EXPECT_EQ(d.session.view.head, 3) << k;
    EXPECT_EQ(d.session.view.cell, (Cell{1, 2})) << k;
    EXPECT_EQ(d.trace().request, draft) << k;
    d.key(KeyName::z, true, true);
    EXPECT_EQ(d.session.draft, opened) << k;
    d.ctrl(KeyName::z);
    d.ctrl(KeyName::z);
    EXPECT_EQ(d.session.draft, begun.request) << "the step before: what was typed";
  }
}

TEST(UndoTimeline, WeightsKeepWhatWasTypedAndReplaceADemosOwnWords) {
  Driver d(first_document());
  d.choose("request/weights", "demo: induction");
  EXPECT_EQ(d.session.draft.phrase, kInduction);
  EXPECT_EQ(d.session.view.head, 7);
  d.choose("request/weights", "seeded");
  EXPECT_EQ(d.session.draft.phrase, kInduction);
  d.choose("request/weights", "demo: stories");
  EXPECT_EQ(d.session.draft.phrase, first_document().request.phrase);
  d.click("phrase");
  d.key(KeyName::end);
  d.type(" today");
  const std::string typed = d.session.draft.phrase;
  d.choose("request/weights", "demo: induction");
  EXPECT_EQ(d.session.draft.phrase, typed);
  d.choose("request/weights", "seeded");
  d.choose("request/weights", "demo: stories");
  EXPECT_EQ(d.session.draft.phrase, typed);
  for (int k = 0; k < 4; ++k) d.ctrl(KeyName::z);
  EXPECT_EQ(d.session.draft.phrase, first_document().request.phrase);
}

TEST(UndoTimeline, AnExamplesWordsAreNobodys) {
  Driver d;
  execute(d, {CommandId::open_example, all_examples()[3].id});
  d.choose("request/weights", "demo: induction");
  EXPECT_EQ(d.session.draft.phrase, kInduction);
}

TEST(NoticeButton, DoesItsCommandAndTakesTheNoticeAway) {
  Driver d;
  put_notice(d.state, {.fact = "Kept.",
                       .advice = "",
                       .key = "kept",
                       .button = "Open it",
                       .command = {CommandId::open_kept_session, "-2"}});
  d.step();
  d.click("notice/kept/button");
  ASSERT_EQ(d.for_main.size(), 1u);
  EXPECT_EQ(d.for_main[0].id, CommandId::open_kept_session);
  EXPECT_EQ(d.for_main[0].argument, "-2");
  EXPECT_FALSE(d.has("notice/kept"));
}

TEST(UndoTimeline, WhatIsNoSessionOnTheClipboardChangesNothing) {
  for (const char* text : {"", "just words", "{\"phrase\": 1}", "[1, 2]"}) {
    Driver d;
    const Request before = d.session.draft;
    d.clipboard = text;
    d.choose("menu/File", "Open from the clipboard");
    EXPECT_EQ(d.session.draft, before) << text;
    EXPECT_FALSE(d.session.can_undo()) << text;
    EXPECT_TRUE(d.has("notice/open")) << text << ": it says why";
  }
}

}  // namespace
}  // namespace headscope::ui
