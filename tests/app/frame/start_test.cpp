#include "app/frame/start.h"

#include <gtest/gtest.h>

#include "app/session/documents.h"
#include "app/ui/guide_state.h"
#include "core/export/session_file.h"
#include "tests/app/session/session_fixture.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

class Start : public ::testing::Test {
 protected:
  void open(const std::string& path, bool may_resume = true) {
    open_first(session_, settings_, state_, path, may_resume);
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
  ManualSession manual_;
  Session& session_ = *manual_.session;
  Settings settings_;
  ui::UiState state_;
};

TEST_F(Start, TheFirstTimeShowsTheDemoAndOffersTheTour) {
  open("");
  EXPECT_EQ(session_.draft, first_document().request);
  EXPECT_TRUE(state_.panels.get<ui::TourState>().offered);
  EXPECT_TRUE(facts().empty());
}

TEST_F(Start, TheTourIsOfferedOnce) {
  settings_.tour_step = 2;
  open("");
  EXPECT_FALSE(state_.panels.get<ui::TourState>().offered);
}

TEST_F(Start, ResumesTheLastSession) {
  LastSession last{request_of("the last one"), {}};
  last.view.head = 2;
  ASSERT_EQ(save_last_session(last), "");
  open("");
  EXPECT_EQ(session_.draft.phrase, "the last one");
  EXPECT_EQ(session_.view.head, 2);
  EXPECT_EQ(state_.title, "last session");
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
