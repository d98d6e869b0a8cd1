// Dialogs, driven by mouse and keys; what they write is read back.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "app/ui/export_dialog_state.h"
#include "core/export/session_file.h"
#include "core/io/png.h"
#include "core/picture/figure/figure.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

class Dialogs : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("headscope-dialogs-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    driver_.settings.export_folder = folder_.string();
    driver_.settings.open_folder = folder_.string();
    driver_.settings.native_dialogs = "never";
    driver_.step(3);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Exports run beside the window: frames until the running one has ended.
  std::string job_result() {
    for (int i = 0; i < 2000 && driver_.session.jobs.current().running; ++i) {
      driver_.step();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_FALSE(driver_.session.jobs.current().running);
    EXPECT_FALSE(driver_.session.jobs.current().failed) << driver_.session.jobs.current().result;
    return driver_.session.jobs.current().result;
  }
  void set_text(const std::string& field, const std::string& text) {
    driver_.click(field);
    driver_.ctrl(KeyName::a);
    driver_.type(text);
  }
  std::string text_of(const std::string& name) const { return bytes_of((folder_ / name).string()); }

  fs::path folder_;
  Driver driver_;
};

TEST_F(Dialogs, CtrlEOpensExportAndEscLeavesIt) {
  driver_.ctrl(KeyName::e);
  EXPECT_EQ(driver_.state.dialog, DialogKind::export_dialog);
  EXPECT_TRUE(driver_.has("export/primary"));
  driver_.key(KeyName::escape);
  EXPECT_EQ(driver_.state.dialog, DialogKind::none);
  EXPECT_FALSE(driver_.session.jobs.current().running);
}

TEST_F(Dialogs, AHeadIsExportedAsCsvByMouse) {
  driver_.click("heads/3");
  driver_.ctrl(KeyName::e);
  driver_.click("export/what/head");
  driver_.click("export/format/CSV");
  set_text("export/file", "head.csv");
  driver_.click("export/primary");
  EXPECT_NE(job_result().find("head.csv"), std::string::npos);
  const std::string text = text_of("head.csv");
  EXPECT_EQ(text.substr(0, text.find('\n')), "query\\key,Hola,mi,nombre,es,Alex");
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < 3; ++i) std::getline(lines, line);
  const float value = std::stof(line.substr(line.find(',') + 1));
  EXPECT_EQ(value, driver_.trace().tensor(StageId::weights).at({0, 3, 1, 0}));
}

TEST_F(Dialogs, EnterInTheFileFieldExports) {
  driver_.ctrl(KeyName::e);
  EXPECT_EQ(driver_.focus(), "export/file");
  driver_.ctrl(KeyName::a);
  driver_.type("by-key.png");
  driver_.key(KeyName::enter);
  EXPECT_EQ(driver_.state.dialog, DialogKind::none);
  job_result();
  EXPECT_EQ(read_session((folder_ / "by-key.png").string()).request, driver_.session.draft);
}

TEST_F(Dialogs, ScaleThemeAndContentsChangeThePicture) {
  driver_.ctrl(KeyName::e);
  driver_.click("export/scale", 0.85f);
  driver_.click("export/theme/light");
  driver_.click("export/recipe", 0.02f);
  set_text("export/file", "x.png");
  const ExportChoice choice = driver_.state.panels.get<ExportDialogState>().choice;
  EXPECT_EQ(choice.scale, 4);
  EXPECT_EQ(choice.theme, Theme::light);
  EXPECT_FALSE(choice.recipe);
  const ExportForecast forecast = driver_.state.panels.get<ExportDialogState>().forecast;
  driver_.click("export/primary");
  job_result();
  const PngInfo info = read_png_info((folder_ / "x.png").string());
  EXPECT_EQ(static_cast<int>(info.width), forecast.width);
  EXPECT_TRUE(info.texts.empty());
  EXPECT_EQ(driver_.settings.export_scale, 4);
}

TEST_F(Dialogs, TheFileNameFollowsTheChoicesUntilOneIsTyped) {
  driver_.ctrl(KeyName::e);
  driver_.click("export/what/heads");
  EXPECT_EQ(driver_.state.panels.get<ExportDialogState>().choice.file, "hola-mi-nombre-es-alex.weights.heads.png");
  set_text("export/file", "mine.png");
  driver_.click("export/scale", 0.1f);
  EXPECT_EQ(driver_.state.panels.get<ExportDialogState>().choice.file, "mine.png");
}

TEST_F(Dialogs, AnEmptyNameCannotBeExported) {
  driver_.ctrl(KeyName::e);
  driver_.click("export/file");
  driver_.ctrl(KeyName::a);
  driver_.key(KeyName::del);
  driver_.step();
  EXPECT_NE(driver_.state.panels.get<ExportDialogState>().forecast.problem, "");
  driver_.click("export/primary");
  EXPECT_EQ(driver_.state.dialog, DialogKind::export_dialog);
  EXPECT_FALSE(driver_.session.jobs.current().running);
}

TEST_F(Dialogs, WhatExistsIsSaidToBeReplaced) {
  std::ofstream(folder_ / "old.png") << "x";
  driver_.ctrl(KeyName::e);
  set_text("export/file", "old.png");
  driver_.step();
  EXPECT_TRUE(driver_.state.panels.get<ExportDialogState>().forecast.replaces);
}

TEST_F(Dialogs, TheWindowsOwnPictureIsLeftToMain) {
  driver_.ctrl(KeyName::e);
  driver_.click("export/what/window");
  set_text("export/file", "w.png");
  driver_.click("export/primary");
  ASSERT_FALSE(driver_.for_main.empty());
  EXPECT_EQ(driver_.for_main.back().id, CommandId::show_window_picture);
  EXPECT_EQ(driver_.for_main.back().argument, (folder_ / "w.png").string());
}

TEST_F(Dialogs, ThePanelsBelowADialogDoNotReact) {
  const std::int64_t head = driver_.session.view.head;
  const Rect other = driver_.rect("heads/3");
  driver_.ctrl(KeyName::e);
  driver_.click_at({other.min.x + 2, other.min.y + 2});
  EXPECT_EQ(driver_.session.view.head, head);
  driver_.type("typed");
  EXPECT_EQ(driver_.session.draft.phrase, "Hola mi nombre es Alex");
}

TEST_F(Dialogs, ASessionIsSavedAndOpenedAgain) {
  driver_.session.draft.heads = 4;
  driver_.step(3);
  driver_.ctrl(KeyName::s);
  ASSERT_EQ(driver_.state.dialog, DialogKind::save_session);
  driver_.ctrl(KeyName::a);
  driver_.type("mine.json");
  driver_.key(KeyName::enter);
  job_result();
  EXPECT_EQ(read_session((folder_ / "mine.json").string()).request.heads, 4);
  driver_.session.draft.heads = 2;
  driver_.step(3);
  driver_.ctrl(KeyName::o);
  ASSERT_EQ(driver_.state.dialog, DialogKind::open_file);
  ASSERT_TRUE(driver_.has("open/entry/mine.json"));
  driver_.double_click("open/entry/mine.json");
  driver_.step(3);
  EXPECT_EQ(driver_.session.draft.heads, 4);
  EXPECT_EQ(driver_.state.dialog, DialogKind::none);
}

TEST_F(Dialogs, ATypedPathOpensAndAWrongOneIsSaid) {
  std::ofstream(folder_ / "typed.json") << R"({"phrase": "uno dos"})";
  driver_.ctrl(KeyName::o);
  driver_.ctrl(KeyName::a);
  driver_.type((folder_ / "nothing.json").string());
  driver_.key(KeyName::enter);
  EXPECT_EQ(driver_.state.dialog, DialogKind::open_file);
  EXPECT_NE(driver_.state.dialogs.browser.listing.problem, "");
  driver_.ctrl(KeyName::a);
  driver_.type((folder_ / "typed.json").string());
  driver_.key(KeyName::enter);
  driver_.step(3);
  EXPECT_EQ(driver_.session.draft.phrase, "uno dos");
}

TEST_F(Dialogs, FoldersAreEnteredAndLeft) {
  fs::create_directories(folder_ / "below");
  driver_.ctrl(KeyName::o);
  driver_.click("open/entry/below");
  EXPECT_EQ(driver_.state.dialogs.browser.listing.path, fs::canonical(folder_ / "below").string());
  driver_.click("open/up");
  EXPECT_EQ(driver_.state.dialogs.browser.listing.path, fs::canonical(folder_).string());
}

TEST_F(Dialogs, BrowseChoosesTheExportFolderAndComesBack) {
  fs::create_directories(folder_ / "pictures");
  driver_.ctrl(KeyName::e);
  driver_.click("export/scale", 0.85f);
  driver_.click("export/browse");
  driver_.step();
  EXPECT_FALSE(driver_.has("open/entry/head.csv"));
  driver_.click("open/entry/pictures");
  driver_.click("open/primary");
  ASSERT_EQ(driver_.state.dialog, DialogKind::export_dialog);
  driver_.step();
  const ExportChoice choice = driver_.state.panels.get<ExportDialogState>().choice;
  EXPECT_EQ(choice.folder, fs::canonical(folder_ / "pictures").string());
  EXPECT_EQ(choice.scale, 4);
  driver_.click("export/browse");
  driver_.key(KeyName::escape);
  EXPECT_EQ(driver_.state.dialog, DialogKind::none);
}

TEST_F(Dialogs, ThePaletteRunsWhatIsChosen) {
  driver_.ctrl(KeyName::p);
  ASSERT_EQ(driver_.state.dialog, DialogKind::palette);
  driver_.type("stage concat");
  driver_.key(KeyName::enter);
  driver_.step();
  EXPECT_EQ(driver_.session.view.stage, StageId::concat);
  driver_.ctrl(KeyName::p);
  driver_.type("head 5");
  driver_.key(KeyName::enter);
  driver_.step();
  EXPECT_EQ(driver_.session.view.head, 5);
  EXPECT_EQ(driver_.state.dialog, DialogKind::none);
}

TEST_F(Dialogs, F1ListsEveryShortcut) {
  driver_.key(KeyName::f1);
  EXPECT_EQ(driver_.state.dialog, DialogKind::help);
  EXPECT_TRUE(driver_.has("help/close"));
  driver_.click("help/close");
  EXPECT_EQ(driver_.state.dialog, DialogKind::none);
}

TEST_F(Dialogs, F1LeadsToTheTour) {
  driver_.key(KeyName::f1);
  driver_.click("help/tour");
  EXPECT_EQ(driver_.state.dialog, DialogKind::none);
  EXPECT_TRUE(driver_.has("tour/next"));
}

TEST_F(Dialogs, EveryDialogFitsTheSmallestWindow) {
  driver_.resize(960, 640);
  for (const DialogKind kind :
       {DialogKind::export_dialog, DialogKind::worksheet, DialogKind::handout, DialogKind::open_file,
        DialogKind::save_session, DialogKind::help, DialogKind::about, DialogKind::palette, DialogKind::go_to}) {
    driver_.state.dialog = kind;
    driver_.step(3);
    for (const auto& [name, rect] : driver_.probe.rects) {
      if (name.find("/primary") == std::string::npos && name.find("/close") == std::string::npos) continue;
      EXPECT_GE(rect.min.x, 0) << name;
      EXPECT_LE(rect.max.x, 960) << name;
      EXPECT_LE(rect.max.y, 640) << name;
    }
    driver_.key(KeyName::escape);
  }
}

}  // namespace
}  // namespace headscope::ui
