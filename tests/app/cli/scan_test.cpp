// `scan`, `merge` and `report` as a user calls them.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "tests/app/cli/command.h"
#include "tests/app/cli/killed_scan.h"
#include "tests/core/corpus/made_records.h"
#include "tests/core/io/gzip_files.h"

namespace headscope {
namespace {

class Scan : public CommandTest {
 protected:
  Scan() { folder_.write("p.txt", test::demo_lines(12)); }

  std::vector<std::string> words(const std::string& out, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"scan", "--model", "demo:induction", "--phrases", "p.txt", "--out", out};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void scan(const std::string& out, const std::vector<std::string>& more = {}) {
    const Result result = cli(words(out, more));
    ASSERT_EQ(result.code, 0) << result.err;
  }
  std::string file(const std::string& name) const { return bytes_of(folder_ / name); }
  nlohmann::json report(const std::string& name) {
    const Result result = cli({"report", name, "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
};

TEST_F(Scan, ShardsMergeToTheBytesOfTheWhole) {
  scan("all.hsagg");
  for (const std::string shard : {"0", "1", "2"}) scan(shard + ".hsagg", {"--shard", shard + "/3"});
  const Result some = cli({"merge", "2.hsagg", "0.hsagg", "--out", "some.hsagg"});
  ASSERT_EQ(some.code, 0) << some.err;
  EXPECT_NE(some.err.find("4 of 12 phrases are missing: 4:8"), std::string::npos) << some.err;
  const Result whole = cli({"merge", "--out", "whole.hsagg", "1.hsagg", "some.hsagg"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_NE(whole.err.find("all 12 phrases of the list are there"), std::string::npos) << whole.err;
  EXPECT_EQ(file("whole.hsagg"), file("all.hsagg"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "all.hsagg.part"));
}

TEST_F(Scan, SaysWhatRunMetricsSaysOfOnePhrase) {
  folder_.write("p.txt", "cat box ink cat box\n");
  scan("x.hsagg");
  const Result run =
      cli({"run", "--model", "demo:induction", "--phrase", "cat box ink cat box", "--metrics", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto manifest = nlohmann::json::parse(run.out);
  std::map<std::pair<int, int>, nlohmann::json> metrics;
  for (const auto& row : manifest.at("metrics")) metrics[{row.at("layer"), row.at("head")}] = row;
  const auto said = report("x.hsagg");
  EXPECT_EQ(said.at("phrases"), 1);
  EXPECT_EQ(said.at("tokens"), 5);
  for (const auto& head : said.at("heads")) {
    const auto found = metrics.find({head.at("layer"), head.at("head")});
    if (found == metrics.end()) continue;
    for (const auto& [ours, theirs] : std::map<std::string, std::string>{{"entropy", "entropy"},
                                                                         {"distance", "mean_distance"},
                                                                         {"previous", "previous_token"},
                                                                         {"first", "first_token"},
                                                                         {"self", "self"},
                                                                         {"induction", "induction"}}) {
      const double a = head.at(ours), b = found->second.at(theirs);
      EXPECT_TRUE(std::abs(a - b) <= 1e-6) << ours << ": " << a << ", run says " << b;
    }
  }
  EXPECT_FALSE(metrics.empty());
}

TEST_F(Scan, WhatCannotBeReadIsNamedAndCounted) {
  std::string lines;
  for (int k = 0; k < 12; ++k) lines += "{\"words\": 1}\n";
  folder_.write("p.jsonl", lines + "{\"text\": \"cat box\"}\n");
  const Result result = cli({"scan", "--model", "demo:induction", "--phrases", "p.jsonl", "--out", "x.hsagg"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("phrase 9 (line 10) of p.jsonl cannot be read"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("phrase 10 "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("12 phrases cannot be read"), std::string::npos) << result.err;
  EXPECT_EQ(report("x.hsagg").at("list").at("unreadable"), 12);
  EXPECT_EQ(report("x.hsagg").at("phrases"), 1);
}

TEST_F(Scan, StandardInputIsAListOfText) {
  const std::string binary = std::string(HEADSCOPE_BINARY_DIR) + "/bin/headscope-cli";
  const std::string command = "cd '" + folder_.path() + "' && '" + binary +
                              "' scan --model demo:induction --phrases - --out piped.hsagg < p.txt > /dev/null 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0);
  scan("x.hsagg");
  EXPECT_EQ(file("piped.hsagg"), file("x.hsagg"));
}

TEST_F(Scan, PackedOrInAFolderTheListIsTheSame) {
  scan("x.hsagg");
  const std::string text = bytes_of(folder_ / "p.txt");
  const std::size_t half = text.find('\n', text.size() / 2) + 1;
  folder_.write("p.txt.gz", test::gzipped(text));
  folder_.write("parts/0.txt", text.substr(0, half));
  folder_.write("parts/1.txt.gz", test::gzipped(text.substr(half)));
  for (const std::string list : {"p.txt.gz", "parts"}) {
    const Result result = cli({"scan", "--model", "demo:induction", "--phrases", list, "--out", list + ".hsagg"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(file(list + ".hsagg"), file("x.hsagg"));
  }
  folder_.write("parts/2.txt", "a\xff\n");
  const Result named = cli({"scan", "--model", "demo:induction", "--phrases", "parts", "--out", "y.hsagg"});
  EXPECT_NE(named.err.find("phrase 12 (line 1) of parts/2.txt cannot be read"), std::string::npos) << named.err;
}

TEST_F(Scan, OfAFolderItSaysWhatIsLeftOutAndJsonIsRefused) {
  folder_.write("f/a.TXT", "cat box ink\n");
  folder_.write("f/b.ndjson", "{\"text\": \"fox jam\"}\n");
  for (const char* other : {"f/c.json", "f/d.text", "f/deeper/e.txt"}) folder_.write(other, "[\"hat\"]\n");
  const Result some = cli({"scan", "--model", "demo:induction", "--phrases", "f", "--out", "x.hsagg"});
  ASSERT_EQ(some.code, 0) << some.err;
  EXPECT_NE(some.err.find("left out of f: 2 files of other kinds and 1 folder;"), std::string::npos) << some.err;
  EXPECT_NE(some.out.find("2 phrases, 5 tokens"), std::string::npos) << some.out;
  expect_refused(cli({"scan", "--model", "demo:induction", "--phrases", "f/c.json", "--out", "y.hsagg"}), 3,
                 {"f/c.json", ".jsonl"});
  for (const char* other : {"f/c.json", "f/d.text", "f/deeper/e.txt", "f/deeper"})
    std::filesystem::remove(folder_ / other);
  const Result all = cli({"scan", "--model", "demo:induction", "--phrases", "f", "--out", "z.hsagg"});
  EXPECT_EQ(all.err, "") << "nothing is left out";
  EXPECT_EQ(file("z.hsagg"), file("x.hsagg"));
}

TEST_F(Scan, TablesTextAndInfoAreOfTheSameFile) {
  scan("x.hsagg", {"--layers", "1", "--heads", "0,3"});
  const Result table = cli({"report", "x.hsagg"});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("max_weight"), std::string::npos) << table.out;
  EXPECT_EQ(std::count(table.out.begin(), table.out.end(), '\n'), 5) << table.out;
  ASSERT_EQ(cli({"report", "x.hsagg", "--format", "csv", "--out", "tables"}).code, 0);
  const std::string heads = file("tables/heads.csv");
  EXPECT_EQ(std::count(heads.begin(), heads.end(), '\n'), 3);
  const auto info = nlohmann::json::parse(cli({"info", "x.hsagg", "--json"}).out);
  EXPECT_EQ(info.at("kind"), "corpus");
  EXPECT_EQ(info.at("corpus").at("heads"), 2);
  EXPECT_NE(cli({"info", "x.hsagg"}).out.find("2 heads of demo:induction"), std::string::npos);
}

TEST_F(Scan, TablesOfAPartSayThatItIsOne) {
  scan("some.hsagg", {"--shard", "1/3"});
  const Result some = cli({"report", "some.hsagg", "--format", "csv", "--out", "tables"});
  ASSERT_EQ(some.code, 0) << some.err;
  EXPECT_NE(some.err.find("8 of the list of 12 phrases missing, 0:4,8:12"), std::string::npos) << some.err;
  scan("all.hsagg", {"--loss"});
  const Result all = cli({"report", "all.hsagg", "--format", "csv", "--out", "tables"});
  EXPECT_EQ(all.err, "");
  EXPECT_NE(file("tables/heads.csv").find(",phrase_loss\n"), std::string::npos);
}

TEST_F(Scan, WhatItCannotDoIsRefused) {
  const auto refused = [&](std::vector<std::string> more, const std::vector<std::string>& parts) {
    expect_refused(cli(words("x.hsagg", more)), 2, parts);
  };
  refused({"--shard", "3/3"}, {"--shard", "3/3", "I/N"});
  refused({"--shard", "1"}, {"--shard"});
  refused({"--tokens", "0"}, {"--tokens"});
  refused({"--layers", "2"}, {"--layers", "2", "0 to 1"});
  refused({"--heads", "1,x"}, {"--heads", "x"});
  refused({"--repeated", "x"}, {"--repeated", "x"});
  refused({"--repeated", "100000"}, {"--repeated", "100000", "at most"});
  refused({"--captures", "there"}, {"--model", "--captures"});
  expect_refused(cli({"scan", "--phrases", "p.txt", "--out", "x.hsagg"}), 2, {"--model"});
  expect_refused(cli({"scan", "--model", "demo:induction", "--out", "x.hsagg"}), 2, {"--phrases"});
  expect_refused(cli({"scan", "--model", "demo:induction", "--phrases", "p.txt"}), 2, {"--out"});
  expect_refused(cli({"scan", "--model", "seeded", "--phrases", "p.txt", "--out", "x"}), 2, {"--model", "seeded"});
  folder_.write("empty/notes.md", "cat\n");
  expect_refused(cli({"scan", "--model", "demo:induction", "--phrases", "empty", "--out", "x"}), 3, {"empty", ".txt"});
  expect_refused(cli({"scan", "--model", "demo:induction", "--phrases", ".", "--out", "p.txt"}), 2, {"--out"});
  folder_.write("cut.txt.gz", test::gzip_of_cat_box().substr(0, 25));
  expect_refused(cli({"scan", "--model", "demo:induction", "--phrases", "cut.txt.gz", "--out", "x"}), 3,
                 {"cut.txt.gz", "break off"});
  expect_refused(cli({"scan", "--model", "demo:induction", "--phrases", "p.txt", "--out", "p.txt"}), 2, {"--out"});
  expect_refused(cli({"scan", "--model", "demo:induction", "--phrases", "none.txt", "--out", "x"}), 3, {"none.txt"});
  expect_refused(cli(words("nowhere/x.hsagg")), 3, {"nowhere"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.hsagg"));
}

TEST_F(Scan, MergeNamesFilesThatDoNotGoTogether) {
  scan("a.hsagg", {"--shard", "0/2"});
  scan("b.hsagg", {"--shard", "0/3"});
  scan("t.hsagg", {"--shard", "1/2", "--tokens", "3"});
  scan("h.hsagg", {"--shard", "1/2", "--layers", "0"});
  expect_refused(cli({"merge", "a.hsagg", "b.hsagg", "--out", "x"}), 2, {"a.hsagg", "b.hsagg", "phrases 0 to 3"});
  expect_refused(cli({"merge", "a.hsagg", "a.hsagg", "--out", "x"}), 2, {"a.hsagg", "phrases 0 to 5"});
  expect_refused(cli({"merge", "a.hsagg", "t.hsagg", "--out", "x"}), 2, {"a.hsagg", "t.hsagg", "--tokens"});
  expect_refused(cli({"merge", "a.hsagg", "h.hsagg", "--out", "x"}), 2, {"a.hsagg", "h.hsagg", "heads"});
  const Result other =
      cli({"scan", "--model", "demo:pronouns", "--phrases", "p.txt", "--shard", "1/2", "--out", "m.hsagg"});
  ASSERT_EQ(other.code, 0) << other.err;
  expect_refused(cli({"merge", "a.hsagg", "m.hsagg", "--out", "x"}), 2, {"a.hsagg", "m.hsagg", "model"});
  expect_refused(cli({"merge", "--out", "x"}), 2, {"FILE"});
  expect_refused(cli({"merge", "a.hsagg"}), 2, {"--out"});
  std::string bytes = file("a.hsagg");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  folder_.write("c.hsagg", bytes);
  expect_refused(cli({"merge", "c.hsagg", "--out", "x"}), 3, {"c.hsagg", "checksum"});
  expect_refused(cli({"report", "c.hsagg"}), 3, {"c.hsagg", "checksum"});
  expect_refused(cli({"report", "p.txt"}), 3, {"p.txt"});
  expect_refused(cli({"report", "a.hsagg", "--format", "csv"}), 2, {"--out"});
  expect_refused(cli({"report", "a.hsagg", "--out", "x"}), 2, {"--format"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
}

TEST_F(Scan, KeepsAFinishedFileOfTheSameScan) {
  scan("x.hsagg", {"--keep"});
  const std::string scanned = file("x.hsagg");
  std::vector<std::string> again = words("x.hsagg");
  again.emplace_back("--keep");
  const Result kept = cli(again);
  ASSERT_EQ(kept.code, 0) << kept.err;
  EXPECT_EQ(kept.out.find("x.hsagg: kept, of this very scan: "), 0U) << kept.out;
  folder_.write("p.txt", test::demo_lines(13));
  expect_refused(cli(again), 2, {"--out", "x.hsagg is of another scan", "list"});
  EXPECT_EQ(file("x.hsagg"), scanned);
  scan("x.hsagg");
  EXPECT_NE(file("x.hsagg"), scanned);
}

TEST_F(Scan, KilledAgainAndAgainItGivesTheBytesOfOneThatRanThrough) {
  folder_.write("p.txt", test::demo_lines(3000));
  scan("whole.hsagg");
  std::mt19937 draw(3);
  int kills = 0;
  for (; kills < 10; ++kills) {
    const int code = killed_after(words("x.hsagg"), folder_.path(), static_cast<int>(draw() % 20), SIGKILL);
    if (code == 0) break;
    ASSERT_EQ(code, 128 + SIGKILL);
  }
  EXPECT_GE(kills, 3);
  scan("x.hsagg");
  EXPECT_EQ(file("x.hsagg"), file("whole.hsagg"));
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name == "p.txt" || name == "x.hsagg" || name == "whole.hsagg") << name << " is left";
  }
}

TEST_F(Scan, InterruptedItEndsWith130AndKeepsItsState) {
  folder_.write("p.txt", test::demo_lines(20000));
  ASSERT_EQ(killed_after(words("x.hsagg"), folder_.path(), 5, SIGINT), 130);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "x.hsagg.part"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.hsagg"));
  folder_.write("p.txt", test::demo_lines(20001));
  expect_refused(cli(words("x.hsagg")), 2, {"x.hsagg.part", "another scan", "list"});
}

}  // namespace
}  // namespace headscope
