// Phrases that cannot be read are all named, also by a scan that is ended and goes on.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/app/cli/command.h"
#include "tests/app/cli/killed_scan.h"

namespace headscope {
namespace {

// Lines of which every third is no JSON.
std::string every_third_is_bad(int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += k % 3 == 0 ? "{\"words\": 1}\n" : "{\"text\": \"cat box ink cat\"}\n";
  return text;
}

class Unreadable : public CommandTest {
 protected:
  const std::vector<std::string> words_ = {"scan",      "--model", "demo:induction", "--threads", "1",
                                           "--phrases", "p.jsonl", "--out",          "x.hsagg"};
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  std::vector<std::string> lines(const std::string& name) const {
    std::istringstream text(bytes_of(folder_ / name));
    std::vector<std::string> all;
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }
};

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(Unreadable, TheFirstAreShownAndAllAreInAFile) {
  folder_.write("p.jsonl", every_third_is_bad(100));  // 0, 3 ... 99
  const Result result = cli(words_);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(times(result.err, " cannot be read: "), 10u) << result.err;
  EXPECT_NE(result.err.find("34 phrases cannot be read"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("34 not readable, named in x.hsagg.unreadable.txt"), std::string::npos) << result.out;
  const std::vector<std::string> all = lines("x.hsagg.unreadable.txt");
  ASSERT_EQ(all.size(), 34u);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string begin = "phrase " + std::to_string(3 * k);
    EXPECT_TRUE(all[k].starts_with(begin + " (line ")) << all[k];
    EXPECT_NE(all[k].find("p.jsonl cannot be read: "), std::string::npos) << all[k];
  }
  EXPECT_FALSE(exists("x.hsagg.part.unreadable.txt"));
}

TEST_F(Unreadable, WhereAllAreShownThereIsNoFile) {
  folder_.write("x.hsagg.unreadable.txt", "phrase 3 of an earlier scan\n");
  folder_.write("p.jsonl", every_third_is_bad(30));
  const Result result = cli(words_);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(times(result.err, " cannot be read: "), 10u) << result.err;
  EXPECT_EQ(result.out.find("named in"), std::string::npos) << result.out;
  EXPECT_FALSE(exists("x.hsagg.unreadable.txt") || exists("x.hsagg.part.unreadable.txt"));
}

TEST_F(Unreadable, KilledAgainAndAgainItNamesTheSame) {
  folder_.write("p.jsonl", every_third_is_bad(6000));
  ASSERT_EQ(cli(words_).code, 0);
  const std::vector<std::string> whole = lines("x.hsagg.unreadable.txt");
  const std::string record = bytes_of(folder_ / "x.hsagg");
  ASSERT_EQ(whole.size(), 2000u);
  for (const char* name : {"x.hsagg", "x.hsagg.unreadable.txt"}) std::filesystem::remove(folder_ / name);
  std::mt19937 draw(5);
  int kills = 0;
  for (; kills < 8; ++kills) {
    if (killed_after(words_, folder_.path(), static_cast<int>(draw() % 10), SIGKILL) == 0) break;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      EXPECT_TRUE(name == "p.jsonl" || name.starts_with("x.hsagg.part") || name.starts_with(".headscope-")) << name;
    }
    // Half a line, as a full disk may leave it.
    if (kills == 3) std::ofstream(folder_ / "x.hsagg.part.unreadable.txt", std::ios::app) << "phrase 1";
  }
  EXPECT_GE(kills, 3);
  const Result last = cli(words_);
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(lines("x.hsagg.unreadable.txt"), whole);
  EXPECT_EQ(bytes_of(folder_ / "x.hsagg"), record);
  for (std::size_t k = 0; k < 10; ++k) EXPECT_NE(last.err.find(whole[k]), std::string::npos) << last.err;
  EXPECT_EQ(times(last.err, " cannot be read: "), 10u) << last.err;
}

TEST_F(Unreadable, WhereNoFileCanBeWrittenAllAreShown) {
  folder_.write("p.jsonl", every_third_is_bad(60));
  folder_.write("x.hsagg.part.unreadable.txt/in-the-way", "");
  const Result result = cli(words_);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(times(result.err, "p.jsonl cannot be read: "), 20u) << result.err;
  EXPECT_NE(result.err.find("x.hsagg.part.unreadable.txt cannot be written"), std::string::npos) << result.err;
}

TEST_F(Unreadable, AFileOfNamesIsNoListOfTheSameScan) {
  folder_.write("x.hsagg.unreadable.txt", "cat box\n");
  expect_refused(cli({"scan", "--model", "demo:induction", "--phrases", "x.hsagg.unreadable.txt", "--out", "x.hsagg"}),
                 2, {"--out", "x.hsagg.unreadable.txt"});
  EXPECT_TRUE(exists("x.hsagg.unreadable.txt"));
}

}  // namespace
}  // namespace headscope
