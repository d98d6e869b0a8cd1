#include "app/frame/start.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/session/documents.h"
#include "app/session/last_session.h"
#include "app/ui/guide_state.h"
#include "core/base/error.h"
#include "core/export/session_file.h"
#include "tests/app/session/session_fixture.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

class Start : public ::testing::Test {
 protected:
  void open(const std::string& path, bool may_resume = true) {
    open_first(session_, settings_, state_, path, may_resume ? &slot_ : nullptr);
  }
  // The facts of all notices.
  std::vector<std::string> facts() const {
    std::vector<std::string> found;
    for (const ui::Notice& notice : state_.notices) found.push_back(notice.fact);
    return found;
  }

  TemporaryFolder folder_;
  Environment home_{"HOME", folder_.path().c_str()};
  Environment state_home_{"XDG_STATE_HOME", folder_.path().c_str()};
  SessionSlot slot_;
  ManualSession manual_;
  Session& session_ = *manual_.session;
  Settings settings_;
  ui::UiState state_;
};

TEST_F(Start, TheFirstTimeShowsTheDemoBelowTheCardsWithPanelsFolded) {
  open("");
  EXPECT_EQ(session_.draft, first_document().request);
  EXPECT_TRUE(settings_.start_open);
  EXPECT_FALSE(state_.panels.get<ui::TourState>().offered) << "the cards offer it";
  EXPECT_TRUE(session_.view.request_collapsed && session_.view.views_grouped);
  EXPECT_EQ(session_.view.heads_show, HeadsShow::one);
  EXPECT_TRUE(settings_.one_head) << "documents that are opened next show heads so";
  EXPECT_TRUE(facts().empty());
}

TEST_F(Start, APictureOfWhatCannotBeOpenedIsRefused) {
  const std::string broken = folder_.write("broken.json", "{\"phrase\": 3");
  EXPECT_THROW(open(folder_.path() + "/nowhere.json", false), Error);
  EXPECT_THROW(open(broken, false), Error);
  open(broken);
  EXPECT_EQ(facts().size(), 1) << "a window says so and goes on";
}

TEST_F(Start, WhoHasArrangedPanelsFindsThemAndTheTour) {
  settings_.panels = PanelLayout{};
  settings_.panels->views_grouped = false;
  open("");
  EXPECT_FALSE(settings_.start_open);
  EXPECT_TRUE(state_.panels.get<ui::TourState>().offered);
  EXPECT_FALSE(session_.view.request_collapsed || session_.view.views_grouped);
  EXPECT_EQ(session_.view.heads_show, HeadsShow::grid);
  EXPECT_FALSE(settings_.one_head);
}

TEST_F(Start, ATourThatWasLeftIsOfferedAgain) {
  ASSERT_EQ(save_last_session({request_of("the last one"), {}}), "");
  open("");
  EXPECT_FALSE(state_.panels.get<ui::TourState>().offered) << "none was begun";
  settings_.tour_step = 2;
  open("");
  EXPECT_TRUE(state_.panels.get<ui::TourState>().offered);
}

TEST_F(Start, ResumesTheLastSession) {
  LastSession last{request_of("the last one"), {}};
  last.view.head = 2;
  ASSERT_EQ(save_last_session(last), "");
  open("");
  EXPECT_EQ(session_.draft.phrase, "the last one");
  EXPECT_EQ(session_.view.head, 2);
  EXPECT_EQ(session_.document.title, "last session");
}

TEST_F(Start, ResumesNothingWhenItMayNot) {
  ASSERT_EQ(save_last_session({request_of("the last one"), {}}), "");
  open("", false);
  EXPECT_EQ(session_.draft, first_document().request);
}

TEST_F(Start, ABrokenLastSessionIsSaidAndTheDemoShown) {
  ASSERT_EQ(save_last_session({request_of("x"), {}}), "");
  folder_.write("headscope/last-session.json", "{\"headscope\": ");
  open("");
  EXPECT_EQ(session_.draft, first_document().request);
  ASSERT_EQ(facts().size(), 1U);
}

TEST_F(Start, OpensAPathAndRemembersIt) {
  const std::string path = folder_.write("one.json", "{\"headscope\": \"0.1.0\", \"phrase\": \"from a file\"}");
  open(path);
  EXPECT_EQ(session_.draft.phrase, "from a file");
  ASSERT_FALSE(settings_.recent_files.empty());
  EXPECT_EQ(settings_.recent_files.front(), path);
}

TEST_F(Start, AFileBringsTheThemeOfItsViewAndTheLastSessionDoesNot) {
  ViewSpec view;
  view.theme = Theme::light;
  const std::string path = folder_.write("light.json", session_json(request_of("light"), view));
  open(path);
  EXPECT_EQ(settings_.theme, Theme::light);
  settings_.theme = Theme::dark;
  ASSERT_EQ(save_last_session({request_of("the last one"), {}}), "");
  open("");
  EXPECT_EQ(settings_.theme, Theme::dark);
  open(folder_.write("no-view.json", session_json(request_of("x"), std::nullopt)));
  EXPECT_EQ(settings_.theme, Theme::dark);
}

TEST_F(Start, APathThatCannotBeOpenedIsSaidAndTheLastSessionStays) {
  ASSERT_EQ(save_last_session({request_of("kept"), {}}), "");
  open(folder_ / "missing.json");
  EXPECT_EQ(session_.draft.phrase, "kept");
  ASSERT_EQ(facts().size(), 1U);
  EXPECT_NE(facts().front().find("missing.json"), std::string::npos) << facts().front();
  EXPECT_TRUE(settings_.recent_files.empty());
}

TEST_F(Start, UndoGoesOnAfterARestart) {
  session_.draft.phrase = "first";
  session_.update(at(0));
  session_.open(request_of("second"), ViewState(), {"second.json", ""});
  Autosave autosave(make_inline_executor(), "", [] {});
  ASSERT_EQ(autosave.save_now(session_, settings_), "");
  ManualSession later;
  open_first(*later.session, settings_, state_, "", &slot_);
  later.session->update(at(0));
  EXPECT_EQ(later.session->document.title, "second.json");
  later.session->undo();
  EXPECT_EQ(later.session->draft.phrase, "first");
  EXPECT_FALSE(later.session->can_undo());
}

TEST_F(Start, APathIsAStepFromWhichUndoLeadsToTheLastSession) {
  ASSERT_EQ(save_last_session({request_of("the last one"), {}}), "");
  open(folder_.write("one.json", "{\"phrase\": \"from a file\"}"));
  session_.update(at(0));
  EXPECT_EQ(session_.document.title, "one.json");
  session_.undo();
  EXPECT_EQ(session_.draft.phrase, "the last one");
}

TEST_F(Start, ADemoByItsNameBringsItsOwnWords) {
  ASSERT_EQ(save_last_session({request_of("typed lately"), {}}), "");
  open("demo:induction");
  EXPECT_EQ(session_.draft.phrase, "cat box ink fox jam cat box ink fox jam");
  EXPECT_EQ(session_.view.head, 7);
}

TEST_F(Start, SeededByItsNameIsTheRandomModelAndNoFile) {
  ASSERT_EQ(save_last_session({request_of("typed lately"), {}}), "");
  open("seeded");
  EXPECT_EQ(facts(), std::vector<std::string>{});
  EXPECT_EQ(session_.draft.model, "seeded");
  EXPECT_EQ(session_.draft.phrase, "Hola mi nombre es Alex");
  EXPECT_EQ(session_.document.title, "seeded");
  EXPECT_TRUE(settings_.recent_files.empty());
}

// A start that ends before the window shows the session.
void start_in_vain(const char* state_home) {
  const pid_t child = fork();
  if (child == 0) {
    const Environment home("XDG_STATE_HOME", state_home);
    SessionSlot slot;
    ManualSession manual;
    Settings settings;
    ui::UiState state;
    open_first(*manual.session, settings, state, "", &slot);
    _exit(manual.session->draft.phrase == "crashes" ? 0 : 1);  // no destructor runs
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "it was not opened";
}

class FailedStarts : public ::testing::Test {
 protected:
  FailedStarts() { EXPECT_EQ(save_last_session({request_of("crashes"), {}}), ""); }
  TemporaryFolder folder_;
  Environment home_{"HOME", folder_.path().c_str()};
  Environment state_home_{"XDG_STATE_HOME", folder_.path().c_str()};
  Settings settings_;
  ui::UiState state_;
};

TEST_F(FailedStarts, TheThirdShowsTheDemoAndOffersTheSession) {
  for (int k = 0; k < 2; ++k) start_in_vain(folder_.path().c_str());
  SessionSlot slot;
  ManualSession manual;
  open_first(*manual.session, settings_, state_, "", &slot);
  EXPECT_EQ(manual.session->draft, first_document().request);
  ASSERT_EQ(state_.notices.size(), 1u);
  EXPECT_EQ(state_.notices[0].button, "Open it");
  const ui::Command command = state_.notices[0].command;
  ASSERT_EQ(command.id, ui::CommandId::open_kept_session);
  Autosave autosave(make_inline_executor(), slot.suffix(), [] {});
  manual.session->update(at(0));
  open_kept_session(*manual.session, settings_, state_, autosave, command.argument);
  EXPECT_EQ(manual.session->draft.phrase, "crashes");
  EXPECT_TRUE(kept_sessions(slot.suffix()).empty()) << "it is this window's now";
  LastSession last;
  std::string notice;
  ASSERT_TRUE(load_last_session(last, notice));
  EXPECT_EQ(last.request.phrase, "crashes");
  manual.session->undo();
  EXPECT_EQ(manual.session->draft, first_document().request);
}

TEST_F(FailedStarts, OneThatSucceedsCountsFromAnewAndSoDoesAnOrderlyEnd) {
  for (int k = 0; k < 6; ++k) {
    if (k % 2 == 0) start_in_vain(folder_.path().c_str());
    SessionSlot slot;
    ManualSession manual;
    open_first(*manual.session, settings_, state_, "", &slot);
    EXPECT_EQ(manual.session->draft.phrase, "crashes");
    if (k % 4 == 0) slot.end_start();
  }
}

TEST_F(FailedStarts, AnotherDocumentIsNoTryOfTheSession) {
  for (int k = 0; k < 2; ++k) start_in_vain(folder_.path().c_str());
  SessionSlot slot;
  ManualSession manual;
  open_first(*manual.session, settings_, state_, folder_.write("one.json", "{\"phrase\": \"a\"}"), &slot);
  manual.session->update(at(0));
  manual.session->undo();
  EXPECT_EQ(manual.session->draft.phrase, "crashes");
}

TEST_F(Start, WindowsKeepTheirOwnSessionsAndAClosedOneIsOffered) {
  EXPECT_EQ(slot_.suffix(), "");
  {
    SessionSlot second;
    EXPECT_EQ(second.suffix(), "-2");
    ManualSession manual;
    open_first(*manual.session, settings_, state_, "", &second);
    Autosave autosave(make_inline_executor(), second.suffix(), [] {});
    autosave.note_changes(*manual.session, settings_, at(0));
    manual.session->draft.phrase = "of the second";
    ASSERT_EQ(autosave.save_now(*manual.session, settings_), "");
    EXPECT_TRUE(kept_sessions(slot_.suffix()).empty()) << "the second window runs";
    open("");
    EXPECT_TRUE(facts().empty());
  }
  open("");
  EXPECT_EQ(session_.draft, first_document().request);
  ASSERT_EQ(state_.notices.size(), 1u);
  EXPECT_EQ(state_.notices[0].command.argument, "-2");
  const SessionSlot third;
  EXPECT_EQ(third.suffix(), "-2") << "the next window goes on there";
  Autosave autosave(make_inline_executor(), "", [] {});
  open_kept_session(session_, settings_, state_, autosave, "-2");
  EXPECT_EQ(session_.draft, first_document().request) << "another window has it";
}

TEST_F(Start, NoticesOfOneKeyReplaceEachOtherAndEmptyOnesDoNothing) {
  add_notice(state_, ui::Notice::Kind::warn, "k", "");
  EXPECT_TRUE(state_.notices.empty());
  add_notice(state_, ui::Notice::Kind::warn, "k", "first");
  add_notice(state_, ui::Notice::Kind::bad, "k", "second", "do this");
  ASSERT_EQ(facts(), std::vector<std::string>{"second"});
  EXPECT_EQ(state_.notices.front().advice, "do this");
}

}  // namespace
}  // namespace headscope
