#include "app/frame/autosave.h"

#include <gtest/gtest.h>

#include "tests/app/session/session_fixture.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

class AutosaveTest : public ::testing::Test {
 protected:
  // The phrase of the last session on disk; "" when there is none.
  std::string saved() const {
    LastSession last;
    std::string notice;
    return load_last_session(last, notice) ? last.request.phrase : "";
  }

  TemporaryFolder folder_;
  Environment home_{"HOME", folder_.path().c_str()};
  Environment state_{"XDG_STATE_HOME", folder_.path().c_str()};
  Environment config_{"XDG_CONFIG_HOME", folder_.path().c_str()};
  ManualSession manual_;
  Session& session_ = *manual_.session;
  Settings settings_;
  Autosave autosave_;
};

TEST_F(AutosaveTest, WhatAStartFindsIsNotWritten) {
  session_.draft.phrase = "a b";
  autosave_.note_changes(session_, settings_, at(0));
  EXPECT_LT(autosave_.seconds_left(at(0)), 0);
  EXPECT_EQ(autosave_.save_if_due(at(60'000)), "");
  EXPECT_EQ(saved(), "");
}

TEST_F(AutosaveTest, WritesWhatHasRestedForFiveSeconds) {
  autosave_.note_changes(session_, settings_, at(0));
  session_.draft.phrase = "a b";
  autosave_.note_changes(session_, settings_, at(1000));
  EXPECT_EQ(autosave_.seconds_left(at(1000)), 5);
  EXPECT_EQ(autosave_.seconds_left(at(3000)), 3);
  EXPECT_EQ(autosave_.seconds_left(at(9000)), 0);
  EXPECT_EQ(autosave_.save_if_due(at(5999)), "");
  EXPECT_EQ(saved(), "");
  EXPECT_EQ(autosave_.save_if_due(at(6000)), "");
  EXPECT_EQ(saved(), "a b");
  EXPECT_LT(autosave_.seconds_left(at(6000)), 0) << "written once";
}

TEST_F(AutosaveTest, EveryChangeStartsTheRestAnew) {
  autosave_.note_changes(session_, settings_, at(0));
  session_.draft.phrase = "a";
  autosave_.note_changes(session_, settings_, at(1000));
  session_.draft.phrase = "a b";
  autosave_.note_changes(session_, settings_, at(4000));
  autosave_.note_changes(session_, settings_, at(8000));  // nothing changed
  EXPECT_EQ(autosave_.save_if_due(at(8999)), "");
  EXPECT_EQ(saved(), "");
  autosave_.save_if_due(at(9000));
  EXPECT_EQ(saved(), "a b");
}

TEST_F(AutosaveTest, AChangeOfTheViewIsAChange) {
  autosave_.note_changes(session_, settings_, at(0));
  session_.view.head = 3;
  autosave_.note_changes(session_, settings_, at(0));
  EXPECT_EQ(autosave_.seconds_left(at(0)), 5);
}

TEST_F(AutosaveTest, SettingsAreWrittenLikeTheSessionAndByThemselves) {
  autosave_.note_changes(session_, settings_, at(0));
  settings_.theme = Theme::light;
  autosave_.note_changes(session_, settings_, at(1000));
  EXPECT_EQ(autosave_.seconds_left(at(1000)), 5);
  EXPECT_EQ(autosave_.save_if_due(at(6000)), "");
  std::string notice;
  EXPECT_EQ(load_settings(notice).theme, Theme::light);
  EXPECT_EQ(notice, "");
  EXPECT_EQ(saved(), "") << "the session did not change";
}

TEST_F(AutosaveTest, TheEndWritesAtOnce) {
  session_.draft.phrase = "at the end";
  EXPECT_EQ(autosave_.save_now(session_, settings_), "");
  EXPECT_EQ(saved(), "at the end");
}

TEST_F(AutosaveTest, WhatCannotBeWrittenIsSaid) {
  const Environment nowhere("XDG_STATE_HOME", "/dev/null/state");
  EXPECT_NE(autosave_.save_now(session_, settings_), "");
}

}  // namespace
}  // namespace headscope
