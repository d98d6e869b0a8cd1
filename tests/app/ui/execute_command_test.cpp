// Commands have a row each: of a main view, of what they do, or none where the window itself acts.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "app/ui/command_actions.h"
#include "app/ui/command_list.h"
#include "app/ui/file_choice.h"
#include "app/ui/main_view.h"
#include "core/base/utf8.h"
#include "core/request/mask_terms.h"
#include "core/request/same_request.h"
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

TEST(ExecuteCommand, AValueOfAnyBytesIsRefusedInWordsThatCanBeDrawn) {
  Driver d;
  d.step(2);
  const std::string lines = "8\n" + std::string(200, 'x');
  for (const std::string& value : {std::string("\xED\xA0\x80"), lines}) {
    d.push(CommandId::set_option, "heads=" + value);
    d.step(2);
    ASSERT_FALSE(d.state.notices.empty());
    const Notice& notice = d.state.notices.back();
    EXPECT_TRUE(is_valid_utf8(notice.fact)) << notice.fact;
    EXPECT_TRUE(is_valid_utf8(notice.advice)) << notice.advice;
    EXPECT_EQ(notice.fact.find('\n'), std::string::npos);
    EXPECT_LT(notice.fact.size(), 120u);
  }
}

TEST(ExecuteCommand, ANameOfAFileThatIsNoUtf8IsRefusedForNoSessionCouldHoldIt) {
  Driver d;
  d.step(2);
  for (const char* option : {"value=", "weights=", "mask="}) {
    const Request before = d.session.draft;
    d.push(CommandId::set_option, std::string(option) + "/tmp/\xED\xA0\x80.npy");
    d.step(2);
    EXPECT_TRUE(same_request(d.session.draft, before)) << option;
    ASSERT_FALSE(d.state.notices.empty());
    EXPECT_NE(d.state.notices.back().advice.find("UTF-8"), std::string::npos) << d.state.notices.back().advice;
  }
}

TEST(ExecuteCommand, APathThatIsNoUtf8IsNotTakenAndSaidInWordsThatCanBeDrawn) {
  const Command commands[] = {{CommandId::set_option, "model=\xFF\xFE"},
                              {CommandId::open_path, "/tmp/\xFF.json"},
                              {CommandId::corpus_list, "/tmp/\xED\xA0\x80.txt"},
                              {CommandId::sweep_list, "/tmp/\xFE.txt"}};
  for (const Command& command : commands) {
    Driver d;
    d.step(2);
    const Request before = d.session.draft;
    d.push(command.id, command.argument);
    d.step(2);
    EXPECT_TRUE(same_request(d.session.draft, before));
    ASSERT_FALSE(d.state.notices.empty());
    const Notice& notice = d.state.notices.back();
    EXPECT_TRUE(is_valid_utf8(notice.fact + notice.advice)) << notice.fact << notice.advice;
    EXPECT_NE((notice.fact + notice.advice).find("UTF-8"), std::string::npos) << notice.fact << notice.advice;
    EXPECT_EQ(d.session.view.corpus.list, "");
  }
}

// Else a session would be written that cannot be read.
TEST(ExecuteCommand, AChosenFileThatIsNoMaskIsRefused) {
  Driver d;
  d.step(2);
  const auto choose = [&](const char* path) {
    d.state.panels.get<FileChoice>().adds_mask_term = true;
    d.push(CommandId::set_option, std::string("mask=") + path);
    d.step(2);
  };
  const std::vector<MaskTerm> before = d.session.draft.mask;
  choose("/tmp/nothing.json");
  EXPECT_EQ(d.session.draft.mask, before);
  ASSERT_FALSE(d.state.notices.empty());
  EXPECT_EQ(d.state.notices.back().fact, "mask /tmp/nothing.json was not taken.");
  choose("/tmp/one.npy");
  choose("/tmp/two.csv");
  ASSERT_EQ(d.session.draft.mask.size(), before.size() + 1);
  EXPECT_EQ(d.session.draft.mask.back().kind, MaskTerm::Kind::file);
  EXPECT_EQ(d.session.draft.mask.back().path, "/tmp/two.csv");
}

}  // namespace
}  // namespace headscope::ui
