// F1: commands and keys by topic, searched, pressed and left.
#include "app/ui/dialogs/help_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "app/ui/command_list.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

TEST(HelpRows, HaveEveryCommandOnceAndEachTopicInOnePiece) {
  const std::vector<HelpRow> rows = help_rows("");
  std::set<std::string> topics;
  std::string last;
  for (const HelpRow& row : rows) {
    if (row.topic != last) {
      EXPECT_TRUE(topics.insert(row.topic).second) << row.topic;
    }
    last = row.topic;
  }
  for (const CommandInfo& info : command_list()) {
    const auto count = std::count_if(rows.begin(), rows.end(), [&](const HelpRow& row) {
      return row.title == info.title && row.keys == info.shortcut;
    });
    EXPECT_EQ(count, 1) << info.title;
  }
}

TEST(HelpDialog, IsLeftByF1AndByEsc) {
  Driver d;
  d.step(3);
  for (const KeyName key : {KeyName::f1, KeyName::escape}) {
    d.key(KeyName::f1);
    ASSERT_EQ(d.state.dialog, DialogKind::help);
    d.key(key);
    EXPECT_EQ(d.state.dialog, DialogKind::none);
  }
}

TEST(HelpDialog, IsSearchedByNameKeySynonymAndTypoAndRunsWhatIsPressed) {
  Driver d;
  d.step(3);
  d.key(KeyName::f1);
  EXPECT_EQ(d.focus(), "help/query");
  for (const char* query : {"settings", "ctrl+comma", "preferences", "setings"}) {
    d.ctrl(KeyName::a);
    d.type(query);
    d.step();
    EXPECT_TRUE(d.has("help/Settings...")) << query;
    EXPECT_FALSE(d.has("help/Quit")) << query;
  }
  d.click("help/Settings...");
  EXPECT_EQ(d.state.dialog, DialogKind::settings);
}

}  // namespace
}  // namespace headscope::ui
