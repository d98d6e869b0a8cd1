// A picture of the heads of a corpus is drawn again by its recipe, as long as its corpus is at hand.
#include <filesystem>

#include "core/io/png.h"
#include "tests/app/cli/command.h"
#include "tests/app/session/corpus_files.h"
#include "tests/core/headvis/documented_tree.h"

namespace headscope {
namespace {

class CorpusPictureAgain : public CommandTest {
 protected:
  CorpusPictureAgain() { test::write_scanned(folder_, "all", false, test::scanned_points()); }

  void report(const std::string& corpus, const std::vector<std::string>& words) {
    std::vector<std::string> all = {"report", corpus, "--out", "pictures"};
    all.insert(all.end(), words.begin(), words.end());
    const Result result = cli(all);
    ASSERT_EQ(result.code, 0) << result.err;
  }
  std::string file(const std::string& name) const { return bytes_of(folder_ / name); }
};

TEST_F(CorpusPictureAgain, HasTheSamePixels) {
  const std::vector<std::vector<std::string>> all = {
      {},
      {"--x", "sink", "--y", "self", "--color", "first", "--grid", "distance", "--head", "1.3", "--theme", "light"},
      {"--choose", "0.*", "--cut", "0.25", "--scale", "1.5"},
      {"--vectors", "value", "--axes", "2,3", "--points-color", "position", "--theme", "contrast", "--scale", "0.5"}};
  for (const std::vector<std::string>& options : all) {
    std::vector<std::string> words = {"--format", "png"};
    words.insert(words.end(), options.begin(), options.end());
    report("all.hsagg", words);
    const Result again = cli({"render", "--session", "pictures/heads.png", "--out", "again.png"});
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.err, "");
    EXPECT_NE(again.out.find("again.png  "), std::string::npos) << again.out;
    const Image first = read_png(folder_ / "pictures/heads.png"), second = read_png(folder_ / "again.png");
    EXPECT_TRUE(first.width == second.width && first.height == second.height && first.pixels == second.pixels);
    // The recipe is the same, too: it can be drawn a third time.
    EXPECT_EQ(file("again.png"), file("pictures/heads.png"));
  }
}

TEST_F(CorpusPictureAgain, OfOtherFormatsAndOfHeadVisToo) {
  test::write_documented_tree(folder_, "data");
  for (const std::string corpus : {"all.hsagg", "data"}) {
    for (const std::string format : {"svg", "pdf"}) {
      report(corpus, {"--format", format});
      const Result again = cli({"render", "--session", "pictures/heads." + format, "--out", "again." + format});
      ASSERT_EQ(again.code, 0) << again.err;
      EXPECT_EQ(file("again." + format), file("pictures/heads." + format)) << corpus;
    }
  }
}

TEST_F(CorpusPictureAgain, InOtherColours) {
  report("all.hsagg", {"--format", "png", "--theme", "light"});
  const Image light = read_png(folder_ / "pictures/heads.png");
  report("all.hsagg", {"--format", "png"});
  const auto again = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words = {"render", "--session", "pictures/heads.png", "--out", "again.png"};
    words.insert(words.end(), options.begin(), options.end());
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return read_png(folder_ / "again.png").pixels;
  };
  EXPECT_EQ(again({"--theme", "light"}), light.pixels);
  EXPECT_NE(again({"--theme", "light", "--colormap", "magma"}), light.pixels);
}

TEST_F(CorpusPictureAgain, TheCorpusIsFoundBesideThePictureAndElseNamed) {
  report("all.hsagg", {"--format", "png", "--head", "1.3"});
  const Image first = read_png(folder_ / "pictures/heads.png");
  std::filesystem::rename(folder_ / "all.hsagg", folder_ / "pictures/all.hsagg");
  const Result moved = cli({"render", "--session", "pictures/heads.png", "--out", "moved.png"});
  ASSERT_EQ(moved.code, 0) << moved.err;
  EXPECT_EQ(read_png(folder_ / "moved.png").pixels, first.pixels);
  ASSERT_EQ(cli({"render", "--session", "moved.png", "--out", "third.png"}).code, 0) << "it names the new place";
  test::write_scanned(folder_, "other", false);
  std::filesystem::rename(folder_ / "other.hsagg", folder_ / "pictures/all.hsagg");
  EXPECT_EQ(cli({"render", "--session", "pictures/heads.png", "--out", "other.png"}).err, "")
      << "it has the same counts";
  std::filesystem::remove(folder_ / "pictures/all.hsagg");
  expect_refused(cli({"render", "--session", "pictures/heads.png", "--out", "none.png"}), 2,
                 {"--session", "pictures/heads.png", "all.hsagg", "corpus"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none.png"));
}

TEST_F(CorpusPictureAgain, OfACorpusThatHasGrownItSaysSo) {
  report("all.hsagg", {"--format", "png"});
  folder_.write("p.txt", test::demo_lines(12));
  ASSERT_EQ(cli({"scan", "--model", "demo:induction", "--phrases", "p.txt", "--out", "all.hsagg"}).code, 0);
  const Result again = cli({"render", "--session", "pictures/heads.png", "--out", "again.png"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find("over 22 phrases"), std::string::npos) << again.err;
  EXPECT_NE(again.err.find("over 10 phrases"), std::string::npos) << again.err;
}

TEST_F(CorpusPictureAgain, NothingIsRunOfIt) {
  report("all.hsagg", {"--format", "png"});
  const std::string picture = "pictures/heads.png";
  expect_refused(cli({"run", "--session", picture}), 2, {"--session", picture, "all.hsagg"});
  expect_refused(cli({"compare", "--phrase", "a b", "--against", picture}), 2, {"--against", picture, "all.hsagg"});
  expect_refused(cli({"render", "--session", picture, "--phrase", "a b", "--out", "x.png"}), 2, {"--phrase", picture});
  expect_refused(cli({"render", "--session", picture, "--view", "heads", "--out", "x.png"}), 2, {"--view", picture});
  expect_refused(cli({"render", "--session", picture, "--out", "x.html"}), 2, {"--out", "x.html", ".svg"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.png"));
}

TEST_F(CorpusPictureAgain, InfoSaysWhatItIs) {
  for (const std::string format : {"png", "svg"}) {
    report("all.hsagg", {"--format", format, "--x", "sink", "--head", "1.3"});
    const std::string picture = "pictures/heads." + format;
    const auto info = nlohmann::json::parse(cli({"info", picture, "--json"}).out);
    EXPECT_EQ(info.at("corpus").at("file"), (std::filesystem::canonical(folder_.path()) / "all.hsagg").string());
    EXPECT_EQ(info.at("corpus").at("x"), "sink");
    EXPECT_EQ(info.at("corpus").at("head"), nlohmann::json({1, 3}));
    EXPECT_EQ(info.at("command"), "headscope-cli render --session " + picture + " --out again.png");
    EXPECT_FALSE(info.contains("request")) << "it made none of the picture";
    const Result text = cli({"info", picture});
    EXPECT_NE(text.out.find("16 heads of demo:induction"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("all.hsagg"), std::string::npos) << text.out;
    EXPECT_EQ(text.out.find("run --phrase"), std::string::npos) << text.out;
  }
}

}  // namespace
}  // namespace headscope
