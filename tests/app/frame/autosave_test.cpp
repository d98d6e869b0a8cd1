#include "app/frame/autosave.h"

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

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
  int wakes_ = 0;
  Autosave autosave_{make_inline_executor(), "", [this] { ++wakes_; }};
};

TEST_F(AutosaveTest, WhatAStartFindsIsNotWritten) {
  session_.draft.phrase = "a b";
  autosave_.note_changes(session_, settings_, at(0));
  EXPECT_LT(autosave_.seconds_left(at(0)), 0);
  autosave_.save_if_due(session_, at(60'000));
  EXPECT_EQ(saved(), "");
}

TEST_F(AutosaveTest, AChangeIsWrittenASecondLater) {
  autosave_.note_changes(session_, settings_, at(0));
  session_.draft.phrase = "a b";
  autosave_.note_changes(session_, settings_, at(1000));
  EXPECT_EQ(autosave_.seconds_left(at(1000)), 1);
  EXPECT_EQ(autosave_.seconds_left(at(1600)), 0.4);
  autosave_.save_if_due(session_, at(1999));
  EXPECT_EQ(saved(), "");
  autosave_.save_if_due(session_, at(2000));
  EXPECT_EQ(saved(), "a b");
  EXPECT_LT(autosave_.seconds_left(at(2000)), 0) << "written once";
}

TEST_F(AutosaveTest, SteadyEditingIsWrittenEverySecond) {
  autosave_.note_changes(session_, settings_, at(0));
  for (int ms = 100; ms <= 6'000; ms += 100) {
    session_.draft.phrase = std::to_string(ms);
    autosave_.save_if_due(session_, at(ms));
    autosave_.note_changes(session_, settings_, at(ms));
    if (ms < 2000 || ms % 500 != 0) continue;
    EXPECT_GE(std::stoi(saved()), ms - 1100) << "no more than that is lost when the program is killed now";
  }
}

TEST_F(AutosaveTest, TheTimelineIsWrittenWithTheSession) {
  session_.draft.phrase = "one";
  session_.document.title = "mine.json";
  session_.update(at(0));
  autosave_.note_changes(session_, settings_, at(0));
  session_.open(request_of("two"), ViewState(), {"theirs.json", ""});
  autosave_.note_changes(session_, settings_, at(10));
  autosave_.save_if_due(session_, at(1010));
  LastSession last;
  std::string notice;
  ASSERT_TRUE(load_last_session(last, notice));
  EXPECT_EQ(notice, "");
  EXPECT_EQ(last.document.title, "theirs.json");
  ASSERT_EQ(last.timeline.before.size(), 1u);
  EXPECT_EQ(last.timeline.before[0].moment->draft.phrase, "one");
  EXPECT_EQ(last.timeline.before[0].moment->document.title, "mine.json");
}

TEST_F(AutosaveTest, AChangeOfTheViewIsAChange) {
  autosave_.note_changes(session_, settings_, at(0));
  session_.view.head = 3;
  autosave_.note_changes(session_, settings_, at(0));
  EXPECT_EQ(autosave_.seconds_left(at(0)), 1);
}

TEST_F(AutosaveTest, SettingsAreWrittenLikeTheSessionAndByThemselves) {
  autosave_.note_changes(session_, settings_, at(0));
  settings_.theme = Theme::light;
  autosave_.note_changes(session_, settings_, at(1000));
  autosave_.save_if_due(session_, at(2000));
  std::string notice;
  EXPECT_EQ(load_settings(notice).theme, Theme::light);
  EXPECT_EQ(notice, "");
  EXPECT_EQ(saved(), "") << "the session did not change";
}

TEST_F(AutosaveTest, TheFrameWritesNothingItself) {
  auto manual = std::make_unique<ManualExecutor>();
  ManualExecutor* writer = manual.get();
  Autosave autosave(std::move(manual), "", [] {});
  autosave.note_changes(session_, settings_, at(0));
  for (const char* phrase : {"a", "b"}) {
    session_.draft.phrase = phrase;
    autosave.note_changes(session_, settings_, at(1000));
    autosave.save_if_due(session_, at(2000));
  }
  EXPECT_EQ(saved(), "");
  ASSERT_TRUE(writer->step());
  EXPECT_EQ(saved(), "b") << "the newest, when the disk is slower than the user";
}

TEST_F(AutosaveTest, TheEndWritesAtOnce) {
  session_.draft.phrase = "at the end";
  EXPECT_EQ(autosave_.save_now(session_, settings_), "");
  EXPECT_EQ(saved(), "at the end");
}

TEST_F(AutosaveTest, AnotherWindowWritesItsOwnFileAndOnlyWhatWasChanged) {
  Autosave second(make_inline_executor(), "-2", [] {});
  second.note_changes(session_, settings_, at(0));
  EXPECT_EQ(second.save_now(session_, settings_), "");
  LastSession last;
  std::string notice;
  EXPECT_FALSE(load_last_session(last, notice, "-2"));
  session_.draft.phrase = "of the second";
  EXPECT_EQ(second.save_now(session_, settings_), "");
  ASSERT_TRUE(load_last_session(last, notice, "-2"));
  EXPECT_EQ(last.request.phrase, "of the second");
  EXPECT_EQ(saved(), "") << "the first one's is left alone";
}

TEST_F(AutosaveTest, WhatCannotBeWrittenIsSaidAtTheEnd) {
  const Environment nowhere("XDG_STATE_HOME", "/dev/null/state");
  EXPECT_NE(autosave_.save_now(session_, settings_), "");
  const Environment again("XDG_STATE_HOME", folder_.path().c_str());
  EXPECT_EQ(autosave_.save_now(session_, settings_), "");
}

TEST_F(AutosaveTest, WhatWasRefusedIsTriedAgainUntilItIsWritten) {
  autosave_.note_changes(session_, settings_, at(0));
  session_.draft.phrase = "a b";
  autosave_.note_changes(session_, settings_, at(0));
  {
    const Environment nowhere("XDG_STATE_HOME", "/dev/null/state");
    autosave_.save_if_due(session_, at(2000));
    EXPECT_EQ(wakes_, 1);
    autosave_.save_if_due(session_, at(2010));
    EXPECT_EQ(autosave_.seconds_left(at(2010)), 3) << "it stays due";
    autosave_.save_if_due(session_, at(5010));
    EXPECT_EQ(wakes_, 2) << "and is tried again";
    autosave_.save_if_due(session_, at(5020));
  }
  session_.draft.phrase = "a b c";
  autosave_.note_changes(session_, settings_, at(5030));
  for (int ms = 5030; ms < 8020; ms += 10) autosave_.save_if_due(session_, at(ms));
  EXPECT_EQ(saved(), "");
  autosave_.save_if_due(session_, at(8020));
  EXPECT_EQ(saved(), "a b c") << "with what has changed since";
  EXPECT_EQ(wakes_, 3) << "that it can be written again is told, too";
  EXPECT_LT(autosave_.seconds_left(at(9000)), 0);
}

TEST_F(AutosaveTest, TheNoticeSaysSinceWhenAndWhereItWouldWork) {
  const auto time = [](int hour, int minute) {
    std::tm parts{};
    parts.tm_year = 126;
    parts.tm_mday = 1;
    parts.tm_hour = hour;
    parts.tm_min = minute;
    parts.tm_isdst = -1;
    return std::mktime(&parts);
  };
  autosave_.note_changes(session_, settings_, at(0));
  session_.draft.phrase = "a b";
  autosave_.note_changes(session_, settings_, at(0));
  EXPECT_FALSE(autosave_.take_notice(time(14, 0)));
  {
    const Environment nowhere("XDG_STATE_HOME", "/dev/null/state");
    autosave_.save_if_due(session_, at(2000));
    autosave_.save_if_due(session_, at(2010));
    const auto notice = autosave_.take_notice(time(14, 5));
    ASSERT_TRUE(notice);
    EXPECT_TRUE(notice->refused);
    EXPECT_EQ(notice->fact, "Nothing is being saved since 14:05.");
    EXPECT_NE(notice->advice.find("/dev/null/state"), std::string::npos) << notice->advice;
    EXPECT_NE(notice->advice.find("It is tried again every 3 seconds."), std::string::npos) << notice->advice;
    EXPECT_NE(notice->advice.find("\"Save session...\" of the menu File works in ~."), std::string::npos)
        << notice->advice;
    autosave_.save_if_due(session_, at(5010));
    autosave_.save_if_due(session_, at(5020));
    EXPECT_FALSE(autosave_.take_notice(time(14, 6))) << "said once";
  }
  autosave_.save_if_due(session_, at(8020));
  autosave_.save_if_due(session_, at(8030));
  const auto notice = autosave_.take_notice(time(14, 9));
  ASSERT_TRUE(notice);
  EXPECT_FALSE(notice->refused);
  EXPECT_EQ(notice->advice, "Nothing was saved from 14:05 until 14:09.");
  EXPECT_FALSE(autosave_.take_notice(time(14, 10)));
}

TEST_F(AutosaveTest, AFolderThatWasRemovedIsMadeAgain) {
  const std::string state = folder_ / "state";
  const Environment there("XDG_STATE_HOME", state.c_str());
  session_.draft.phrase = "a b";
  EXPECT_EQ(autosave_.save_now(session_, settings_), "");
  std::filesystem::remove_all(state);
  session_.draft.phrase = "c d";
  autosave_.note_changes(session_, settings_, at(0));
  autosave_.save_if_due(session_, at(1000));
  EXPECT_EQ(saved(), "c d");
}

TEST_F(AutosaveTest, ASettingThatIsRefusedIsTriedAgainWithoutTheSession) {
  const Environment nowhere("XDG_CONFIG_HOME", "/dev/null/config");
  autosave_.note_changes(session_, settings_, at(0));
  settings_.theme = Theme::light;
  autosave_.note_changes(session_, settings_, at(0));
  autosave_.save_if_due(session_, at(1000));
  autosave_.save_if_due(session_, at(1010));
  EXPECT_EQ(autosave_.take_notice(0)->fact.rfind("Settings are not being saved since", 0), 0u);
  const Environment again("XDG_CONFIG_HOME", folder_.path().c_str());
  autosave_.save_if_due(session_, at(4010));
  std::string notice;
  EXPECT_EQ(load_settings(notice).theme, Theme::light);
  EXPECT_EQ(saved(), "");
}

}  // namespace
}  // namespace headscope
