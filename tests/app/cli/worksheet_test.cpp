// Sheets to compute by hand, from the command line.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class WorksheetCommand : public CommandTest {
 protected:
  std::string text_of(const std::string& name) const {
    std::ifstream in(std::filesystem::path(folder_.path()) / name, std::ios::binary);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  }
};

TEST_F(WorksheetCommand, AClassGetsSheetsAndItsTeacherTheSolutions) {
  const Result result = cli(
      {"worksheet", "--sheets", "3", "--seed", "5", "--cells", "4", "--out", "class.pdf", "--solutions", "class.csv"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "written to class.pdf: 3 sheets on 3 pages, then the solutions\n"
            "written to class.csv: the solutions\n");
  EXPECT_EQ(text_of("class.pdf").substr(0, 5), "%PDF-");
  std::istringstream lines(text_of("class.csv"));
  int count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  EXPECT_EQ(count, 13);
}

TEST_F(WorksheetCommand, ASheetIsWrittenAgainByItsSeed) {
  ASSERT_EQ(cli({"worksheet", "--sheets", "3", "--seed", "5", "--out", "a.pdf", "--solutions", "a.csv"}).code, 0);
  ASSERT_EQ(cli({"worksheet", "--seed", "7", "--out", "b.pdf", "--solutions", "b.csv"}).code, 0);
  const std::string all = text_of("a.csv"), one = text_of("b.csv");
  const std::string line = one.substr(one.find("\n1,") + 2, 40);
  EXPECT_NE(all.find("\n3" + line), std::string::npos) << line;
}

TEST_F(WorksheetCommand, EverySizeIsWritten) {
  for (const char* paper : {"a4", "letter"}) {
    const Result result =
        cli({"worksheet", "--phrase", "the cat sat down", "--mask", "causal", "--d-model", "4", "--heads", "2",
             "--cells", "raw_scores:2,weights:all", "--paper", paper, "--out", "sheet.pdf"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, "written to sheet.pdf: 1 sheet on 2 pages, then the solutions\n");
  }
}

TEST_F(WorksheetCommand, LettersThatNoFontHasAreSaidAndTheSheetIsWritten) {
  const Result result = cli({"worksheet", "--phrase", "one two \U0010FFFD", "--out", "sheet.pdf"});
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.err.find("notice: no font at hand has "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("(U+10FFFD): boxes"), std::string::npos) << result.err;
  EXPECT_EQ(text_of("sheet.pdf").substr(0, 5), "%PDF-");
}

// Every other writer of the program replaces its file, too.
TEST_F(WorksheetCommand, AnExistingFileIsReplacedAsTheHelpSays) {
  ASSERT_EQ(cli({"worksheet", "--seed", "1", "--out", "sheet.pdf", "--solutions", "sheet.csv"}).code, 0);
  const std::string before = text_of("sheet.csv");
  EXPECT_EQ(before.substr(0, 6), "sheet,") << "no byte order mark, as in other tables";
  ASSERT_EQ(cli({"worksheet", "--seed", "2", "--out", "sheet.pdf", "--solutions", "sheet.csv"}).code, 0);
  EXPECT_NE(text_of("sheet.csv"), before);
  const std::string help = cli({"worksheet", "--help"}).out;
  EXPECT_NE(help.find("existing file is replaced"), std::string::npos) << help;
}

TEST_F(WorksheetCommand, WhatASheetCannotBeIsRefusedAndNothingIsWritten) {
  const auto refused = [&](std::vector<std::string> words, const std::vector<std::string>& parts) {
    words.insert(words.begin(), "worksheet");
    words.insert(words.end(), {"--out", "sheet.pdf"});
    expect_refused(cli(words), 2, parts);
  };
  refused({"--phrase", "two words"}, {"--phrase", "2 words", "3 or 4"});
  refused({"--heads", "3"}, {"--heads: 3", "1 or 2"});
  refused({"--heads", "2", "--d-model", "3"}, {"--d-model", "2 or 4"});
  refused({"--sheets", "0"}, {"--sheets"});
  refused({"--sheets", "501"}, {"--sheets", "500"});
  refused({"--cells", "weight:2"}, {"--cells", "weight:2", "raw_scores:2"});
  refused({"--cells", "weights:10"}, {"--cells", "weights:10", "at most 9"});
  refused({"--cells", "weights[0,3,1]"}, {"weights[0,3,1]", "[1, 3, 3]", "query 0 to 2"});
  refused({"--seed", "18446744073709551615", "--sheets", "2"}, {"--seed", "at most 18446744073709551614"});
  refused({"--mask", "padding:1"}, {"--mask", "causal"});
  refused({"--paper", "a5"}, {"--paper", "letter"});
  refused({"--seed", "-1"}, {"--seed"});
  refused({"--solutions", "sheet.pdf"}, {"--solutions", ".csv"});
  refused({"--model", "demo:stories"}, {"--model"});
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  expect_refused(cli({"worksheet"}), 2, {"--out", "missing", "FILE.pdf"});
  expect_refused(cli({"worksheet", "--out", "sheet.png"}), 2, {"--out", "sheet.png", ".pdf"});
  expect_refused(cli({"worksheet", "--out", "nowhere/sheet.pdf"}), 3, {"nowhere"});
}

}  // namespace
}  // namespace headscope
