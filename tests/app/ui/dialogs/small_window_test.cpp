// Dialogs that are higher than the window scroll inside: every control is there, and none lies over another part.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/session/lesson_stops.h"
#include "app/ui/export_dialog_state.h"
#include "app/ui/worksheet_state.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

// 640 x 400 logical pixels in two ways, a window that is wide enough and too low, and one that has room for all.
struct WindowSize {
  int width, height;
  float scale;
};
constexpr WindowSize kSizes[] = {{1280, 800, 2}, {640, 400, 1}, {900, 500, 1}, {1600, 1000, 1}};

class SmallWindow : public testing::TestWithParam<WindowSize> {
 protected:
  SmallWindow() : driver_(phrase_document(kTwelve), GetParam().width, GetParam().height, GetParam().scale) {}
  void open(CommandId dialog) {
    driver_.settings.export_folder = folder_.path();
    driver_.settings.native_dialogs = "never";
    driver_.step(3);
    driver_.push(dialog);
    driver_.step(4);
  }

  // Goes through all controls by Tab. Each lies between the lines of the title and of the footer, or in one of those.
  std::vector<std::string> walk(const std::string& dialog) {
    const float px = GetParam().scale;
    const Rect frame = driver_.rect(dialog);
    const float top = frame.min.y + 50 * px, bottom = frame.max.y - 54 * px;
    std::vector<std::string> seen;
    while (seen.size() < 100) {
      const std::string name = driver_.focus();
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) return seen;
      seen.push_back(name);
      const Rect at = driver_.rect(name);
      EXPECT_GE(at.min.x, frame.min.x) << name;
      EXPECT_LE(at.max.x, frame.max.x) << name;
      const bool in_footer = name.ends_with("/primary") || name.ends_with("/cancel") || name.ends_with("/copy_command");
      const bool in_title = name.ends_with("/close");
      EXPECT_GE(at.min.y, in_footer ? bottom : in_title ? frame.min.y : top) << name;
      EXPECT_LE(at.max.y, in_footer ? frame.max.y : in_title ? top : bottom) << name;
      driver_.key(KeyName::tab);
      driver_.step();
    }
    ADD_FAILURE() << "Tab comes to no control again";
    return seen;
  }

  static void expect_all(const std::vector<std::string>& seen, const std::vector<std::string>& names) {
    for (const std::string& name : names) EXPECT_NE(std::find(seen.begin(), seen.end(), name), seen.end()) << name;
  }

  const TemporaryFolder folder_;
  Driver driver_;
};

TEST_P(SmallWindow, EveryFieldOfAWorksheetIsReached) {
  open(CommandId::worksheet);
  EXPECT_EQ(driver_.focus(), "worksheet/file");
  expect_all(walk("worksheet"), {"worksheet/phrase", "worksheet/cells", "worksheet/solutions", "worksheet/folder",
                                 "worksheet/file", "worksheet/primary"});
  driver_.tab_to("worksheet/phrase");
  driver_.step();
  driver_.click("worksheet/phrase");
  driver_.ctrl(KeyName::a);
  driver_.type("two words");
  EXPECT_NE(driver_.state.panels.get<WorksheetState>().problem, "") << "the field is where it was clicked";
}

TEST_P(SmallWindow, EveryFieldOfAnExportIsReached) {
  open(CommandId::export_dialog);
  EXPECT_EQ(driver_.focus(), "export/file");
  expect_all(walk("export"), {"export/what/window", "export/what/session", "export/format", "export/theme",
                              "export/ground", "export/caption", "export/folder", "export/file", "export/primary"});
  driver_.tab_to("export/size");
  driver_.step();
  driver_.click("export/size/page 178");
  driver_.step(3);
  ASSERT_TRUE(driver_.state.panels.get<ExportDialogState>().choice.paper.width.has_value());
  expect_all(walk("export"), {"export/width", "export/dpi", "export/font-size", "export/outer_keys", "export/file"});
}

TEST_P(SmallWindow, EveryFieldOfAHandoutIsReached) {
  driver_.session.view.lesson = {stop_of(driver_.session.view, "Look.")};
  driver_.step(2);
  open(CommandId::handout);
  EXPECT_EQ(driver_.focus(), "handout/file");
  expect_all(walk("handout"), {"handout/title", "handout/form", "handout/paper", "handout/stops", "handout/folder",
                               "handout/file", "handout/primary"});
}

// Nothing scrolls where all of it has room.
TEST_P(SmallWindow, AFormThatFitsStays) {
  for (const auto& [command, form] : {std::pair{CommandId::worksheet, "worksheet/form/scrollbar"},
                                      {CommandId::export_dialog, "export/form/scrollbar"}}) {
    open(command);
    EXPECT_EQ(driver_.has(form), static_cast<float>(GetParam().height) < 600 * GetParam().scale) << form;
    driver_.key(KeyName::escape);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SmallWindow, testing::ValuesIn(kSizes));

}  // namespace
}  // namespace headscope::ui
