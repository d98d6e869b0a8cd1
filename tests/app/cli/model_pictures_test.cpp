// `render` of attributions, sweeps and scatters: as a user asks for them, and their recipes.
#include "core/io/atomic_file.h"
#include "core/io/png.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::vector<std::string> kInduction = {"--model", "demo:induction", "--phrase", "cat box ink fox jam cat"};

class ModelPictures : public CommandTest {
 protected:
  void SetUp() override {
    folder_.write("a.json", R"({"model": "demo:induction", "phrase": "cat ink box fox jam cat"})");
  }
  Result render(const std::vector<std::string>& more, const std::string& out = "p.png") {
    std::vector<std::string> words = {"render"};
    words.insert(words.end(), kInduction.begin(), kInduction.end());
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--out", out});
    return cli(words);
  }
  Image drawn(const std::vector<std::string>& more, const std::string& out = "p.png") {
    const Result result = render(more, out);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? read_png(folder_ / out) : Image();
  }
  // Draws `out` again from its recipe, and once as SVG and PDF.
  void expect_drawn_again(const std::string& out, const Image& picture) {
    ASSERT_EQ(cli({"render", "--session", out, "--out", "again.png"}).code, 0);
    EXPECT_EQ(read_png(folder_ / "again.png").pixels, picture.pixels);
    EXPECT_EQ(read_png_info(folder_ / "again.png").texts, read_png_info(folder_ / out).texts);
    ASSERT_EQ(cli({"render", "--session", out, "--out", "again.svg"}).code, 0);
    ASSERT_EQ(cli({"render", "--session", "again.svg", "--out", "third.png"}).code, 0);
    EXPECT_EQ(read_png(folder_ / "third.png").pixels, picture.pixels);
    EXPECT_EQ(cli({"render", "--session", out, "--out", "again.pdf"}).code, 0);
    expect_refused(cli({"render", "--session", out, "--out", "again.html"}), 2, {"--view", "HTML", "heads"});
  }
};

TEST_F(ModelPictures, ALogitTakenApart) {
  const std::vector<std::string> asked = {"--view", "attribution", "--at", "5", "--token", "box,ink"};
  const Image components = drawn(asked);
  std::vector<std::string> by = asked;
  by.insert(by.end(), {"--by", "components"});
  EXPECT_EQ(drawn(by).pixels, components.pixels);
  by.back() = "heads";
  const Image heads = drawn(by, "heads.png");
  EXPECT_NE(heads.pixels, components.pixels);
  expect_drawn_again("heads.png", heads);
  by.back() = "sources";
  EXPECT_NE(drawn(by).pixels, heads.pixels);
  ASSERT_EQ(cli({"render", "--session", "heads.png", "--token", "ink", "--out", "other.png"}).code, 0);
  EXPECT_NE(read_png(folder_ / "other.png").pixels, heads.pixels);
  by.insert(by.end(), {"--width", "85mm", "--font-size", "7", "--background", "white"});
  EXPECT_EQ(render(by, "paper.pdf").code, 0);
}

TEST_F(ModelPictures, ASweep) {
  const std::vector<std::string> asked = {"--view", "sweep", "--against", "a.json", "--metric", "logit:ink-box"};
  const Image heads = drawn(asked, "heads.png");
  expect_drawn_again("heads.png", heads);
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = asked;
    words.insert(words.end(), more.begin(), more.end());
    return drawn(words);
  };
  EXPECT_EQ(with({"--patch", "heads"}).pixels, heads.pixels);
  EXPECT_NE(with({"--patch", "positions"}).pixels, heads.pixels);
  EXPECT_NE(with({"--patch", "stages"}).pixels, heads.pixels);
  EXPECT_NE(with({"--direction", "noise"}).pixels, heads.pixels);
  EXPECT_EQ(with({"--at", "5"}).pixels, with({"--at", "5", "--patch", "heads"}).pixels);
  EXPECT_NE(with({"--at", "3"}).pixels, heads.pixels);
  ASSERT_EQ(cli({"render", "--session", "heads.png", "--patch", "stages", "--out", "stages.png"}).code, 0);
  EXPECT_EQ(read_png(folder_ / "stages.png").pixels, with({"--patch", "stages"}).pixels);
  const std::vector<std::string> zeros = {"--view", "sweep", "--ablation", "zero", "--metric", "logit:box"};
  const Image ablated = drawn(zeros, "zeros.png");
  EXPECT_NE(ablated.pixels, heads.pixels);
  expect_drawn_again("zeros.png", ablated);
  const Image paths =
      drawn({"--view", "sweep", "--against", "a.json", "--metric", "logit:box", "--patch", "paths", "--into", "1:7"},
            "paths.png");
  expect_drawn_again("paths.png", paths);
  folder_.write("short.json", R"({"model": "demo:induction", "phrase": "cat ink cat"})");
  const Result matched = render({"--view", "sweep", "--against", "short.json", "--metric", "kl"});
  EXPECT_EQ(matched.code, 0);
  EXPECT_NE(matched.err.find("1 'box'"), std::string::npos) << matched.err;
}

TEST_F(ModelPictures, QueriesAndKeysAsPoints) {
  const Image first = drawn({"--view", "scatter"}, "first.png");
  const Image head = drawn({"--view", "scatter", "--head", "7"}, "head.png");
  EXPECT_NE(head.pixels, first.pixels);
  EXPECT_NE(drawn({"--view", "scatter", "--head", "7", "--layer", "0"}).pixels, head.pixels);
  expect_drawn_again("head.png", head);
}

TEST_F(ModelPictures, WhoWroteAScore) {
  const Image heads = drawn({"--view", "score", "--layer", "1", "--head", "7", "--at", "5,1"}, "heads.png");
  EXPECT_EQ(drawn({"--view", "score", "--layer", "1", "--head", "7", "--at", "5,1", "--by", "heads"}).pixels,
            heads.pixels);
  EXPECT_NE(drawn({"--view", "score", "--layer", "1", "--head", "7", "--at", "5,1", "--by", "components"}).pixels,
            heads.pixels);
  EXPECT_NE(drawn({"--view", "score", "--layer", "1", "--head", "7", "--at", "5,0"}).pixels, heads.pixels);
  expect_drawn_again("heads.png", heads);
}

TEST_F(ModelPictures, WhatCannotBeDrawnIsRefused) {
  const auto refused = [&](const std::vector<std::string>& more, const std::vector<std::string>& parts) {
    expect_refused(render(more, "none.png"), 2, parts);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "none.png"));
  };
  refused({"--view", "attribution", "--token", "box"}, {"--at", "found nothing"});
  refused({"--view", "attribution", "--at", "5"}, {"--token", "found nothing"});
  refused({"--view", "attribution", "--at", "5", "--token", "a,b,c"}, {"--token", "A,B"});
  refused({"--view", "attribution", "--at", "6", "--token", "box"}, {"--at", "0 to 5"});
  refused({"--view", "attribution", "--at", "5", "--token", "box", "--by", "weights"}, {"--by", "components"});
  refused({"--view", "arcs", "--token", "box"}, {"--token", "box", "whole number"});
  refused({"--view", "sweep", "--metric", "kl"}, {"--against", "missing"});
  refused({"--view", "sweep", "--against", "a.json"}, {"--metric", "missing"});
  refused({"--view", "sweep", "--against", "a.json", "--metric", "entropy"}, {"--metric", "logit:A"});
  refused({"--view", "sweep", "--against", "a.json", "--metric", "kl", "--patch", "layers"}, {"--patch", "positions"});
  refused({"--view", "sweep", "--against", "a.json", "--metric", "kl", "--patch", "1/context:7@A"},
          {"--patch", "heads, positions, stages, paths"});
  refused({"--view", "heads", "--patch", "heads"}, {"--patch", "--view sweep"});
  refused({"--view", "sweep", "--against", "a.json", "--ablation", "zero", "--metric", "kl"},
          {"--against", "one of both"});
  refused({"--view", "sweep", "--ablation", "zero", "--metric", "kl", "--patch", "paths"}, {"--from", "missing"});
  refused({"--view", "sweep", "--ablation", "zero", "--metric", "kl", "--from", "0:1"}, {"--from", "--patch paths"});
  refused({"--view", "heads", "--against", "a.json"}, {"--against", "difference or sweep"});
  refused({"--view", "score", "--head", "7", "--at", "5"}, {"--at", "I,J"});
  refused({"--view", "score", "--head", "7", "--at", "5,6"}, {"--at", "0 to 5"});
  refused({"--view", "score", "--head", "8", "--at", "5,1"}, {"--head", "0 to 7"});
  refused({"--view", "score", "--at", "5,1", "--by", "sources"}, {"--by", "components or heads"});
  refused({"--view", "scatter", "--head", "8"}, {"--head", "0 to 7"});
  expect_refused(cli({"render", "--phrase", "a b", "--model", "seeded", "--view", "attribution", "--at", "1", "--token",
                      "3", "--out", "none.png"}),
                 2, {"--view", "one layer"});
}

}  // namespace
}  // namespace headscope
