// Sheets to compute by hand out of the window: what can be chosen, what is refused, what is written.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "app/ui/worksheet_state.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

class WorksheetDialog : public testing::Test {
 protected:
  explicit WorksheetDialog(const char* phrase = kTwelve) : driver_(phrase_document(phrase)) {}
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("headscope-worksheet-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    driver_.settings.export_folder = folder_.string();
    driver_.step(3);
    driver_.push(CommandId::worksheet);
    driver_.step(2);
  }
  void TearDown() override { fs::remove_all(folder_); }

  WorksheetState& state() { return driver_.state.panels.get<WorksheetState>(); }
  void set_text(const std::string& field, const std::string& text) {
    driver_.click(field);
    driver_.ctrl(KeyName::a);
    driver_.type(text);
    driver_.step();
  }
  void write() {
    driver_.click("worksheet/primary");
    for (int i = 0; i < 4000 && driver_.session.jobs.current().running; ++i) {
      driver_.step();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_FALSE(driver_.session.jobs.current().failed) << driver_.session.jobs.current().result;
  }
  std::string text_of(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
  Driver driver_;
};

class WorksheetOfThreeWords : public WorksheetDialog {
 protected:
  WorksheetOfThreeWords() : WorksheetDialog("the cat sat") {}
};

TEST_F(WorksheetDialog, AClassIsWrittenWithItsSolutions) {
  EXPECT_EQ(driver_.state.dialog, DialogKind::worksheet);
  EXPECT_EQ(state().problem, "");
  EXPECT_EQ(state().phrase, "green book cat") << "twelve words are too many for a hand";
  driver_.click("worksheet/d-model/4");
  driver_.click("worksheet/heads/2");
  driver_.click("worksheet/mask/causal");
  driver_.click("worksheet/paper/letter");
  set_text("worksheet/cells", "weights:2,output[1,0]");
  driver_.click("worksheet/sheets/+");
  driver_.click("worksheet/seed/+");
  set_text("worksheet/file", "class");
  EXPECT_EQ(state().spec.d_model, 4);
  EXPECT_EQ(state().spec.heads, 2);
  EXPECT_TRUE(state().spec.causal);
  EXPECT_EQ(state().spec.sheets, 2);
  EXPECT_EQ(state().spec.seed, 1u);
  driver_.click("worksheet/copy_command");
  EXPECT_EQ(driver_.clipboard,
            "headscope-cli worksheet --d-model 4 --heads 2 --mask causal --cells 'weights:2,output[1,0]' --sheets 2 "
            "--seed 1 --paper letter --out class.pdf --solutions class.csv");
  write();
  EXPECT_EQ(driver_.state.dialog, DialogKind::none);
  EXPECT_EQ(text_of("class.pdf").substr(0, 5), "%PDF-");
  const std::string table = text_of("class.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 1 + 2 * 3);
  EXPECT_NE(table.find("\n2,2,C,\"output[1,0]\","), std::string::npos) << table;
  EXPECT_EQ(driver_.settings.export_folder, folder_.string());
}

TEST_F(WorksheetDialog, WithoutTheTableOnlyPagesAreWritten) {
  driver_.click("worksheet/solutions", 0.05f);
  EXPECT_FALSE(state().solutions);
  write();
  EXPECT_TRUE(fs::exists(folder_ / "worksheet.pdf"));
  EXPECT_FALSE(fs::exists(folder_ / "worksheet.csv"));
  driver_.push(CommandId::worksheet);
  driver_.step(2);
  const auto warned = [&] {
    return std::any_of(driver_.texts.begin(), driver_.texts.end(),
                       [](const DrawnText& text) { return text.words.find("replaced") != std::string::npos; });
  };
  EXPECT_TRUE(warned());
  set_text("worksheet/file", "other.pdf");
  EXPECT_FALSE(warned());
}

TEST_F(WorksheetDialog, WhatCannotBeIsSaidAndNotWritten) {
  const auto refused = [&](const std::string& field, const std::string& text, const std::string& part) {
    set_text(field, text);
    EXPECT_NE(state().problem.find(part), std::string::npos) << state().problem;
    driver_.click("worksheet/primary");
    EXPECT_EQ(driver_.state.dialog, DialogKind::worksheet);
  };
  refused("worksheet/phrase", "two words", "3 or 4 words");
  set_text("worksheet/phrase", "one two three");
  EXPECT_EQ(state().problem, "");
  refused("worksheet/cells", "weight:1", "raw_scores:2");
  refused("worksheet/cells", "weights:10", "at most 9");
  set_text("worksheet/cells", "5");
  refused("worksheet/file", "a/b.pdf", "slash");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(WorksheetDialog, ThePageIsShownAndFollowsTheChoices) {
  EXPECT_TRUE(driver_.has("worksheet/preview"));
  const std::uint64_t version = state().preview_version;
  driver_.step(3);
  EXPECT_EQ(state().preview_version, version) << "nothing changed";
  driver_.click("worksheet/seed/+");
  driver_.step();
  EXPECT_GT(state().preview_version, version);
}

TEST_F(WorksheetDialog, ChoicesAreThereTheNextTime) {
  driver_.click("worksheet/d-model/3");
  driver_.key(KeyName::escape);
  EXPECT_EQ(driver_.state.dialog, DialogKind::none);
  driver_.push(CommandId::worksheet);
  driver_.step(2);
  EXPECT_EQ(state().spec.d_model, 3);
}

TEST_F(WorksheetOfThreeWords, ThePhraseOfTheWindowIsOnTheSheetWhereAHandCanComputeIt) {
  EXPECT_EQ(state().phrase, "the cat sat");
}

TEST_F(WorksheetDialog, StandsInTheMenuOfExports) {
  driver_.key(KeyName::escape);
  driver_.choose("menu/Export", "Worksheet...");
  EXPECT_EQ(driver_.state.dialog, DialogKind::worksheet);
}

// Who looks for a lesson where files are, or where things are written, finds it.
TEST(LessonMenus, LessonsStandUnderFileAndExportToo) {
  Driver d(phrase_document(kTwelve));
  d.step(3);
  d.choose("menu/File", "Lesson");
  EXPECT_TRUE(d.has("lesson/add"));
  d.choose("menu/Export", "Lesson");
  EXPECT_FALSE(d.has("lesson/add"));
  d.choose("menu/Help", "Lesson");
  EXPECT_TRUE(d.has("lesson/add"));
}

}  // namespace
}  // namespace headscope::ui
