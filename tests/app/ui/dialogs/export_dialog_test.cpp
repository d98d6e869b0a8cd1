// Figures for papers out of the export dialog, and what can be done with a file after it.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "app/ui/export_dialog_state.h"
#include "core/export/session_file.h"
#include "core/io/png.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

class ExportDialog : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("headscope-export-dialog-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    driver_.settings.export_folder = folder_.string();
    driver_.settings.native_dialogs = "never";
    driver_.step(3);
    driver_.ctrl(KeyName::e);
    driver_.click("export/what/heads");
  }
  void TearDown() override { fs::remove_all(folder_); }

  ExportDialogState& state() { return driver_.state.panels.get<ExportDialogState>(); }
  void set_text(const std::string& field, const std::string& text) {
    driver_.click(field);
    driver_.ctrl(KeyName::a);
    driver_.type(text);
    driver_.step();
  }
  void export_as(const std::string& name) {
    set_text("export/file", name);
    driver_.click("export/primary");
    for (int i = 0; i < 2000 && driver_.session.jobs.current().running; ++i) {
      driver_.step();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_FALSE(driver_.session.jobs.current().failed) << driver_.session.jobs.current().result;
    driver_.step();
  }
  std::string text_of(const std::string& name) const { return bytes_of((folder_ / name).string()); }

  fs::path folder_;
  Driver driver_;
};

// Of the random user after 305,811 events: the preview of a page of the seventh of two heads ended the program.
TEST_F(ExportDialog, AfterHeadsWentTheShownOneIsExported) {
  driver_.key(KeyName::escape);
  driver_.session.view.head = 7;
  driver_.session.draft.heads = 2;
  driver_.step(3);
  driver_.ctrl(KeyName::e);
  driver_.click("export/what/head");
  for (const char* format : {"export/format/HTML", "export/format/PNG", "export/format/SVG"}) {
    driver_.click(format);
    EXPECT_EQ(state().forecast.problem, "") << format;
    EXPECT_GT(state().preview.width, 0) << format;
  }
}

TEST_F(ExportDialog, AFigureHasTheMillimetresPointsAndGroundThatWereChosen) {
  driver_.click("export/size/column 85");
  EXPECT_EQ(state().choice.paper.ground, Ground::white) << "what papers are";
  driver_.step();
  EXPECT_EQ(state().forecast.width, 1004);
  set_text("export/width", "120mm");
  set_text("export/dpi", "600");
  set_text("export/font-size", "7");
  set_text("export/heads-shown", "0,2");
  driver_.click("export/outer_keys", 0.05f);
  driver_.click("export/caption", 0.1f);
  driver_.step();
  EXPECT_EQ(state().choice.paper.width, (PaperLength{120, LengthUnit::mm}));
  EXPECT_EQ(state().choice.paper.dpi, 600);
  EXPECT_EQ(state().choice.paper.font_size, 7);
  EXPECT_EQ(state().choice.paper.key_labels, KeyLabels::outer);
  EXPECT_FALSE(state().choice.paper.caption);
  EXPECT_EQ(state().forecast.width, 2835);
  EXPECT_NE(state().choice.file.find(".heads0-2.png"), std::string::npos) << state().choice.file;
  export_as("figure.png");
  const auto view = read_session((folder_ / "figure.png").string()).view;
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->heads_shown, (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(view->paper.width, (PaperLength{120, LengthUnit::mm}));
  EXPECT_EQ(read_png_info((folder_ / "figure.png").string()).width, 2835u);
}

TEST_F(ExportDialog, ItsChoicesAreThereTheNextTime) {
  driver_.click("export/size/page 178");
  driver_.click("export/ground/transparent");
  driver_.click("export/format/PDF");
  export_as("figure.pdf");
  EXPECT_EQ(text_of("figure.pdf").substr(0, 5), "%PDF-");
  EXPECT_EQ(driver_.settings.export_paper, (std::vector<std::string>{"width=178mm", "background=transparent"}));
  driver_.ctrl(KeyName::e);
  driver_.step();
  EXPECT_EQ(state().choice.paper.width, (PaperLength{178, LengthUnit::mm}));
  EXPECT_EQ(state().choice.paper.ground, Ground::transparent);
  EXPECT_EQ(state().choice.format, ExportFile::pdf);
  driver_.click("export/size/screen");
  EXPECT_FALSE(state().choice.paper.width.has_value());
}

TEST_F(ExportDialog, APageOfHtmlIsWrittenAndRemembered) {
  driver_.click("export/format/HTML");
  EXPECT_TRUE(state().choice.file.ends_with(".html")) << state().choice.file;
  export_as("heads.html");
  EXPECT_EQ(read_session((folder_ / "heads.html").string()).request, driver_.trace().request);
  driver_.ctrl(KeyName::e);
  driver_.step();
  EXPECT_EQ(state().choice.format, ExportFile::html);
}

TEST_F(ExportDialog, WhatCannotBeIsSaidAndNotWritten) {
  driver_.click("export/size/column 85");
  set_text("export/width", "wide");
  EXPECT_NE(state().forecast.problem.find("width"), std::string::npos) << state().forecast.problem;
  driver_.click("export/primary");
  EXPECT_EQ(driver_.state.dialog, DialogKind::export_dialog);
  set_text("export/width", "85mm");
  EXPECT_EQ(state().forecast.problem, "");
}

// Programs of these names write down what they are called with.
class FakePrograms {
 public:
  explicit FakePrograms(const fs::path& folder) : log_(folder / "called"), before_(::getenv("PATH")) {
    const fs::path bin = folder / "bin";
    fs::create_directories(bin);
    for (const char* name : {"xdg-open", "xclip"}) {
      std::ofstream(bin / name) << "#!/bin/sh\necho " << name << " \"$@\" >> '" << log_.string() << "'\n";
      fs::permissions(bin / name, fs::perms::owner_all);
    }
    ::setenv("PATH", (bin.string() + ":" + before_).c_str(), 1);
    ::unsetenv("WAYLAND_DISPLAY");
  }
  ~FakePrograms() { ::setenv("PATH", before_.c_str(), 1); }
  FakePrograms(const FakePrograms&) = delete;
  FakePrograms& operator=(const FakePrograms&) = delete;

  // What was called, once that is `line`.
  std::string called(const std::string& line) const {
    std::string text;
    for (int tries = 0; tries < 500 && text.find(line) == text.npos; ++tries) {
      std::ifstream file(log_);
      std::ostringstream all;
      all << file.rdbuf();
      text = all.str();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return text;
  }

 private:
  fs::path log_;
  std::string before_;
};

TEST_F(ExportDialog, AfterItTheFileIsOpenedShownInItsFolderOrCopied) {
  const FakePrograms programs(folder_);
  export_as("it.png");
  const std::string file = (folder_ / "it.png").string();
  ASSERT_TRUE(driver_.has("notice/job/open"));
  for (const char* action : {"notice/job/open", "notice/job/folder", "notice/job/copy", "notice/job/button"}) {
    EXPECT_LE(driver_.rect(action).max.x, 1600 - 8) << action << " leaves the bar";
  }
  driver_.click("notice/job/open");
  EXPECT_NE(programs.called("xdg-open " + file + "\n").find("xdg-open " + file + "\n"), std::string::npos);
  driver_.click("notice/job/folder");
  const std::string folder = "xdg-open " + folder_.string() + "\n";
  EXPECT_NE(programs.called(folder).find(folder), std::string::npos);
  driver_.click("notice/job/copy");
  const std::string copy = "xclip -selection clipboard -t image/png -i " + file;
  EXPECT_NE(programs.called(copy).find(copy), std::string::npos);
  driver_.click("notice/job/button");
  driver_.step();
  EXPECT_FALSE(driver_.has("notice/job/open")) << "gone with the sentence";
}

TEST_F(ExportDialog, TablesHaveTheBoxForSpreadsheets) {
  driver_.click("export/format/CSV");
  driver_.click("export/csv_safe", 0.05f);
  EXPECT_TRUE(state().choice.csv_safe);
  export_as("tables");
  EXPECT_NE(text_of("tables/manifest.json").find("\"csv\": \"safe\""), std::string::npos);
  EXPECT_TRUE(driver_.settings.export_csv_safe);
}

}  // namespace
}  // namespace headscope::ui
