// What the program remembers of one's taste, chosen in its dialog.
#include <gtest/gtest.h>

#include "app/session/settings_values.h"
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

TEST(SettingsDialog, OneSizeIsOfTextAndOfAllAroundIt) {
  Driver d;
  d.step();
  const Rect status = d.rect("status");
  const float before = d.rect(kName).width();
  d.push(CommandId::settings);
  d.step();
  EXPECT_FALSE(d.has("settings/text_size"));
  d.click("settings/size", 0.6f);
  EXPECT_EQ(d.settings.ui_scale, 1.3);
  d.key(KeyName::escape);
  d.step();
  EXPECT_GT(d.rect(kName).width(), 1.15f * before) << "names of views give way a little where all have to fit";
  EXPECT_NEAR(d.rect("status").height(), 1.3f * status.height(), 1.5f);
}

TEST(SettingsDialog, ASizeOfTheKeysIsNoneOfTheListAndStays) {
  Driver d;
  d.settings.ui_scale = 1.1;
  d.push(CommandId::settings);
  d.step();
  EXPECT_EQ(d.settings.ui_scale, 1.1);
}

TEST(SettingsDialog, EveryViewIsDrawnAtEverySize) {
  for (const double size : {kSmallestScale, 1.3, kLargestScale}) {
    Driver d(1280, 800);
    d.settings.ui_scale = size;
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
