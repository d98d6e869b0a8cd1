// Commands have a row each: of a main view, of what they do, or none where the window itself acts.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "app/ui/command_actions.h"
#include "app/ui/command_list.h"
#include "app/ui/main_view.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

bool is_for_window(CommandId id) {
  return id == CommandId::quit || id == CommandId::show_window_picture || id == CommandId::report_problem ||
         id == CommandId::open_kept_session || id == CommandId::lesson_pictures;
}

TEST(ExecuteCommand, EveryCommandHasOneRow) {
  std::vector<CommandId> ids = {CommandId::open_path, CommandId::open_example, CommandId::set_option,
                                CommandId::show_window_picture, CommandId::open_kept_session};  // pushed by panels only
  for (const CommandInfo& info : command_list()) ids.push_back(info.id);
  for (const CommandId id : ids) {
    const int rows = (find_command_action(id) != nullptr ? 1 : 0) + (main_view_of(id) != nullptr ? 1 : 0);
    EXPECT_EQ(rows, is_for_window(id) ? 0 : 1) << static_cast<int>(id);
  }
}

TEST(ExecuteCommand, NoRowIsThereTwice) {
  std::set<CommandId> seen;
  for (const auto& actions : {document_commands(), request_commands(), look_commands()}) {
    for (const CommandAction& action : actions) {
      EXPECT_TRUE(seen.insert(action.id).second) << static_cast<int>(action.id);
      EXPECT_NE(action.run, nullptr) << static_cast<int>(action.id);
    }
  }
}

TEST(ExecuteCommand, LeavesToTheWindowWhatOnlyItCanDo) {
  Driver d;
  d.ctrl(KeyName::q);
  ASSERT_FALSE(d.for_main.empty());
  EXPECT_EQ(d.for_main.front().id, CommandId::quit);
}

// They are a taste, not a part of what is looked at.
TEST(ExecuteCommand, ANewSessionKeepsThemeAndScale) {
  Driver d;
  d.settings.theme = Theme::light;
  d.settings.ui_scale = 1.2;
  d.ctrl(KeyName::n);
  EXPECT_EQ(d.settings.theme, Theme::light);
  EXPECT_EQ(d.settings.ui_scale, 1.2);
}

}  // namespace
}  // namespace headscope::ui
