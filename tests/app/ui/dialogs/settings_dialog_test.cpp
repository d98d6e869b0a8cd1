// What the program remembers of one's taste, chosen in its dialog.
#include <gtest/gtest.h>

#include "app/ui/widgets/widgets.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

constexpr const char* kName = "views/layer";  // a button as wide as its name

TEST(SettingsDialog, ThemesAndColourRangesActAtOnce) {
  Driver d;
  d.push(CommandId::settings);
  d.step();
  d.click("settings/theme", 0.5f);
  EXPECT_EQ(d.settings.theme, Theme::light);
  d.click("settings/contrast", 0.9f);
  EXPECT_TRUE(d.settings.auto_contrast);
  d.key(KeyName::escape);
  d.step();
  EXPECT_EQ(d.state.dialog, DialogKind::none);
}

TEST(SettingsDialog, LargerTextLeavesTheLayoutAsItIs) {
  Driver d;
  d.step();
  const Rect inspector = d.rect("inspector"), phrase = d.rect("phrase"), help = d.rect("status");
  const float before = d.rect(kName).width();
  d.push(CommandId::settings);
  d.step();
  d.click("settings/text_size", 0.95f);
  EXPECT_EQ(d.settings.text_size, kLargestText);
  d.key(KeyName::escape);
  d.step();
  EXPECT_GT(d.rect(kName).width(), 1.1f * before);
  for (const auto& [name, was] : {std::pair{"inspector", inspector}, {"phrase", phrase}, {"status", help}}) {
    const Rect now = d.rect(name);
    EXPECT_EQ(now.min.x, was.min.x) << name;
    EXPECT_EQ(now.max.y, was.max.y) << name;
    EXPECT_EQ(now.width(), was.width()) << name;
  }
}

TEST(SettingsDialog, EveryViewIsDrawnAtEverySizeOfText) {
  for (const double size : {kSmallestText, kLargestText}) {
    Driver d(1280, 800);
    d.settings.text_size = size;
    for (const CommandId view :
         {CommandId::toggle_corpus, CommandId::toggle_script, CommandId::toggle_text, CommandId::toggle_bug_lab}) {
      d.push(view);
      d.step();
    }
    d.push(CommandId::help);
    d.step();
    EXPECT_EQ(d.state.dialog, DialogKind::help);
  }
}

}  // namespace
}  // namespace headscope::ui
