// `render`: pictures with their recipe.
#include "core/export/session_file.h"
#include "core/io/atomic_file.h"
#include "core/io/png.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::vector<std::string> kRender = {"render",  "--phrase", "a b c d", "--d-model", "16",
                                          "--heads", "4",        "--mask",  "causal"};

std::vector<std::string> render_with(std::initializer_list<std::string> more) {
  std::vector<std::string> words = kRender;
  words.insert(words.end(), more);
  return words;
}

class Render : public CommandTest {
 protected:
  // Draws, and gives the pixels.
  Image drawn(std::initializer_list<std::string> more, const std::string& name = "picture.png") {
    std::vector<std::string> words = render_with(more);
    words.insert(words.end(), {"--out", name});
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find(name), std::string::npos) << result.out;
    return result.code == 0 ? read_png(folder_ / name) : Image();
  }
};

TEST_F(Render, EveryKindOfViewIsAPicture) {
  const Image heads = drawn({});
  EXPECT_GT(heads.width, 100);
  EXPECT_GT(heads.height, 100);
  EXPECT_NE(drawn({"--view", "head", "--head", "2"}).pixels, heads.pixels);
  EXPECT_NE(drawn({"--view", "stage", "--stage", "output"}).pixels, heads.pixels);
  EXPECT_NE(drawn({"--view", "concat"}).pixels, heads.pixels);
  EXPECT_EQ(drawn({"--view", "heads"}).pixels, heads.pixels);
}

TEST_F(Render, EveryOptionOfTheViewChangesThePicture) {
  const Image plain = drawn({});
  EXPECT_NE(drawn({"--stage", "scores"}).pixels, plain.pixels);
  for (const char* map : {"magma", "cividis", "gray", "icefire", "coolwarm"})
    EXPECT_NE(drawn({"--colormap", map}).pixels, plain.pixels);
  EXPECT_EQ(drawn({"--colormap", "viridis"}).pixels, plain.pixels);
  EXPECT_NE(drawn({"--range", "0.2,0.4"}).pixels, plain.pixels);
  EXPECT_NE(drawn({"--range", "row"}).pixels, plain.pixels);
  EXPECT_NE(drawn({"--range", "fit"}).pixels, plain.pixels);
  EXPECT_EQ(drawn({"--range", "auto"}).pixels, plain.pixels);
  EXPECT_NE(drawn({"--log"}).pixels, plain.pixels);
  EXPECT_NE(drawn({"--cell", "12"}).pixels, drawn({"--cell", "20"}).pixels);
  EXPECT_NE(drawn({"--labels", "off"}).pixels, plain.pixels);
  EXPECT_EQ(drawn({"--labels", "on"}).pixels, plain.pixels);
  EXPECT_NE(drawn({"--theme", "light"}).pixels, plain.pixels);
  EXPECT_EQ(drawn({"--theme", "dark"}).pixels, plain.pixels);
  EXPECT_EQ(drawn({"--width", "900"}).width, 900);
}

TEST_F(Render, AnotherResultLessThisOne) {
  const Image head = drawn({"--seed", "3", "--head", "1"}, "a.png");
  const Image difference = drawn({"--against", "a.png", "--head", "1"}, "difference.png");
  EXPECT_NE(difference.pixels, head.pixels);
  EXPECT_EQ(drawn({"--against", "a.png", "--head", "1", "--view", "difference"}).pixels, difference.pixels);
  EXPECT_NE(drawn({"--against", "a.png", "--stage", "output"}).pixels, difference.pixels);
  ASSERT_EQ(cli({"render", "--session", "difference.png", "--out", "again.png"}).code, 0);
  EXPECT_EQ(read_png(folder_ / "again.png").pixels, difference.pixels) << "the recipe holds both requests";
  const auto refused = [&](std::initializer_list<std::string> more, const std::vector<std::string>& parts) {
    std::vector<std::string> words = render_with(more);
    words.insert(words.end(), {"--out", "none.png"});
    expect_refused(cli(words), 2, parts);
  };
  refused({"--view", "difference"}, {"--against"});
  refused({"--against", "a.png", "--view", "heads"}, {"--against", "heads"});
  expect_refused(cli({"render", "--phrase", "a b c d", "--d-model", "16", "--heads", "2", "--against", "a.png", "--out",
                      "none.png"}),
                 2, {"--stage", "cannot be subtracted"});
  std::vector<std::string> missing = render_with({"--against", "nowhere.json", "--out", "none.png"});
  expect_refused(cli(missing), 3, {"nowhere.json"});
}

TEST_F(Render, WhatACellDependsOn) {
  const Image by_weights = drawn({"--view", "sensitivity", "--stage", "output", "--at", "0,2,5"}, "s.png");
  EXPECT_NE(drawn({"--view", "sensitivity", "--stage", "output", "--at", "0,2,5", "--by", "scores"}).pixels,
            by_weights.pixels);
  ASSERT_EQ(cli({"render", "--session", "s.png", "--out", "again.png"}).code, 0);
  EXPECT_EQ(read_png(folder_ / "again.png").pixels, by_weights.pixels);
  std::vector<std::string> words = render_with({"--view", "sensitivity", "--stage", "output", "--out", "none.png"});
  expect_refused(cli(words), 2, {"--at"});
}

TEST_F(Render, AHeadOrAStageAloneIsThatView) {
  EXPECT_EQ(drawn({"--head", "2"}).pixels, drawn({"--view", "head", "--head", "2"}).pixels);
  EXPECT_EQ(drawn({"--stage", "output"}).pixels, drawn({"--view", "stage", "--stage", "output"}).pixels);
  EXPECT_EQ(drawn({"--stage", "concat"}).pixels, drawn({"--view", "concat"}).pixels);
}

TEST_F(Render, APictureDrawsItselfAgainPixelForPixel) {
  const Image first = drawn({"--view", "head", "--head", "3", "--theme", "light", "--cell", "20", "--range", "0,0.5"});
  const Result again = cli({"render", "--session", "picture.png", "--out", "again.png"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read_png(folder_ / "again.png").pixels, first.pixels);
  EXPECT_EQ(read_png_info(folder_ / "again.png").texts, read_png_info(folder_ / "picture.png").texts);
  ASSERT_EQ(cli({"render", "--session", "picture.png", "--head", "1", "--out", "other.png"}).code, 0);
  EXPECT_NE(read_png(folder_ / "other.png").pixels, first.pixels);
}

TEST_F(Render, ThePictureCarriesItsRequestAndItsWeights) {
  drawn({});
  const PngInfo info = read_png_info(folder_ / "picture.png");
  const SessionFile session = parse_session(info.texts.at("headscope"), "the recipe");
  EXPECT_EQ(session.request.phrase, "a b c d");
  EXPECT_TRUE(session.view.has_value());
  EXPECT_EQ(info.texts.at("headscope-sha256").size(), 64u);
  EXPECT_EQ(cli({"run", "--session", "picture.png"}).code, 0);
}

TEST_F(Render, TheOutputNeedsANameThatEndsInPngOrSvg) {
  expect_refused(cli(kRender), 2, {"--out", "FILE.png", "FILE.svg"});
  expect_refused(cli(render_with({"--out", "x.jpg"})), 2, {"--out", "x.jpg", ".png", ".svg"});
  expect_refused(cli(render_with({"--out", "png"})), 2, {"--out"});
  EXPECT_EQ(cli(render_with({"--out", "X.PNG"})).code, 0);
}

// The drawing's recipe draws the same pixels as the picture's.
TEST_F(Render, AnSvgCarriesItsRecipe) {
  const Image picture = drawn({"--view", "head", "--head", "3", "--theme", "light"});
  const Result result = cli(render_with({"--view", "head", "--head", "3", "--theme", "light", "--out", "head.svg"}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("head.svg"), std::string::npos) << result.out;
  ASSERT_EQ(cli({"render", "--session", "head.svg", "--out", "again.png"}).code, 0);
  EXPECT_EQ(read_png(folder_ / "again.png").pixels, picture.pixels);
  ASSERT_EQ(cli({"render", "--session", "head.svg", "--out", "again.svg"}).code, 0);
  EXPECT_EQ(read_small_file(folder_ / "again.svg", 1 << 20), read_small_file(folder_ / "head.svg", 1 << 20));
  const Result info = cli({"info", "head.svg", "--json"});
  ASSERT_EQ(info.code, 0) << info.err;
  const auto json = nlohmann::json::parse(info.out);
  EXPECT_EQ(json.at("kind"), "drawing");
  EXPECT_EQ(json.at("recipe"), true);
  EXPECT_EQ(json.at("request").at("phrase"), "a b c d");
  folder_.write("foreign.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
  expect_refused(cli({"render", "--session", "foreign.svg", "--out", "x.png"}), 3, {"foreign.svg", "recipe"});
}

TEST_F(Render, AFigureForAPaperIsAPdfThatOpensAgain) {
  const std::vector<std::string> paper = {"--width",      "85mm",  "--dpi",     "150", "--font-size",   "6",
                                          "--background", "white", "--caption", "off", "--heads-shown", "1,3"};
  const auto write = [&](const std::string& name) {
    std::vector<std::string> words = render_with({"--out", name});
    words.insert(words.end(), paper.begin(), paper.end());
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
  };
  write("figure.pdf");
  write("figure.png");
  write("figure.svg");
  const Image picture = read_png(folder_ / "figure.png");
  EXPECT_EQ(picture.width, 502);
  for (const char* file : {"figure.pdf", "figure.png", "figure.svg"}) {
    ASSERT_EQ(cli({"render", "--session", file, "--out", "again.png"}).code, 0) << file;
    EXPECT_EQ(read_png(folder_ / "again.png").pixels, picture.pixels) << file;
  }
  ASSERT_EQ(cli({"render", "--session", "figure.png", "--out", "again.pdf"}).code, 0);
  EXPECT_EQ(read_small_file(folder_ / "again.pdf", 1 << 20), read_small_file(folder_ / "figure.pdf", 1 << 20));
  const Result info = cli({"info", "figure.pdf", "--json"});
  ASSERT_EQ(info.code, 0) << info.err;
  const auto json = nlohmann::json::parse(info.out);
  EXPECT_EQ(json.at("kind"), "drawing");
  EXPECT_EQ(json.at("recipe"), true);
  folder_.write("foreign.pdf", "%PDF-1.4\n%%EOF\n");
  expect_refused(cli({"render", "--session", "foreign.pdf", "--out", "x.png"}), 3, {"foreign.pdf", "recipe"});
}

TEST_F(Render, LinesAndNeuronsFollowTheirOptions) {
  const Image lines = drawn({"--view", "arcs", "--init-gain", "4"});
  EXPECT_NE(drawn({"--view", "arcs", "--init-gain", "4", "--token", "3"}).pixels, lines.pixels);
  EXPECT_NE(drawn({"--view", "arcs", "--init-gain", "4", "--heads-shown", "0,2"}).pixels, lines.pixels);
  EXPECT_EQ(drawn({"--view", "arcs", "--init-gain", "4", "--heads-shown", "all"}).pixels, lines.pixels);
  EXPECT_NE(drawn({"--view", "arcs", "--init-gain", "4", "--hide-below", "0.9"}).pixels, lines.pixels);
  EXPECT_EQ(drawn({"--view", "arcs", "--init-gain", "4", "--sentences", "all"}).pixels, lines.pixels);
  const Image neurons = drawn({"--view", "neurons", "--head", "1", "--token", "2"});
  EXPECT_NE(drawn({"--view", "neurons", "--head", "2", "--token", "2"}).pixels, neurons.pixels);
  EXPECT_NE(drawn({"--view", "neurons", "--head", "1", "--token", "3"}).pixels, neurons.pixels);
  drawn({"--view", "arcs", "--token", "3", "--heads-shown", "2,0", "--hide-below", "0.2"});
  ASSERT_EQ(cli({"render", "--session", "picture.png", "--out", "again.png"}).code, 0);
  EXPECT_EQ(read_png(folder_ / "again.png").pixels, read_png(folder_ / "picture.png").pixels);
  EXPECT_EQ(cli(render_with({"--view", "arcs", "--out", "lines.svg"})).code, 0);
  EXPECT_EQ(cli(render_with({"--view", "neurons", "--out", "neurons.svg"})).code, 0);
}

TEST_F(Render, AttentionOnTheText) {
  const Image text = drawn({"--view", "text", "--token", "2"});
  EXPECT_NE(drawn({"--view", "text", "--token", "1"}).pixels, text.pixels);
  EXPECT_NE(drawn({"--view", "text", "--token", "2", "--along", "column"}).pixels, text.pixels);
  EXPECT_NE(drawn({"--view", "text", "--token", "2", "--combine", "mean"}).pixels, text.pixels);
  const Image one = drawn({"--view", "text", "--token", "2", "--heads-shown", "1"});
  EXPECT_NE(one.pixels, text.pixels);
  EXPECT_EQ(drawn({"--view", "text", "--token", "2", "--head", "1"}).pixels.size(), one.pixels.size());
  ASSERT_EQ(cli({"render", "--session", "picture.png", "--out", "again.png"}).code, 0);
  EXPECT_EQ(read_png(folder_ / "again.png").pixels, read_png(folder_ / "picture.png").pixels);
}

// explain --out draws what render --view explanation draws.
TEST_F(Render, AnExplanationAsAPicture) {
  const Image figure = drawn({"--view", "explanation", "--stage", "weights", "--at", "0,1,2,0"});
  std::vector<std::string> words = render_with({"--stage", "weights", "--at", "0,1,2,0", "--out", "why.png"});
  words[0] = "explain";
  ASSERT_EQ(cli(words).code, 0);
  EXPECT_EQ(read_png(folder_ / "why.png").pixels, figure.pixels);
  ASSERT_EQ(cli({"render", "--session", "why.png", "--out", "again.png"}).code, 0);
  EXPECT_EQ(read_png(folder_ / "again.png").pixels, figure.pixels);
  words.back() = "why.jpg";
  expect_refused(cli(words), 2, {"--out", "why.jpg"});
  words.back() = "why.svg";
  EXPECT_EQ(cli(words).code, 0);
  words.push_back("--json");
  expect_refused(cli(words), 2, {"--json", "--out"});
  expect_refused(cli(render_with({"--view", "explanation", "--stage", "weights", "--out", "none.png"})), 2, {"--at"});
}

TEST_F(Render, ViewsThatCannotBeAreRefusedAndNothingIsWritten) {
  const std::vector<std::vector<std::string>> bad = {{"--view", "everything"},
                                                     {"--aggregate", "sum"},
                                                     {"--head", "4"},
                                                     {"--view", "arcs", "--token", "4"},
                                                     {"--view", "arcs", "--heads-shown", "4"},
                                                     {"--view", "arcs", "--heads-shown", "0,x"},
                                                     {"--view", "arcs", "--hide-below", "1.5"},
                                                     {"--view", "arcs", "--hide-below", "nan"},
                                                     {"--view", "arcs", "--sentences", "a-b"},
                                                     {"--view", "arcs", "--sentences", "x"},
                                                     {"--view", "neurons", "--token", "4"},
                                                     {"--view", "neurons", "--head", "4"},
                                                     {"--view", "text", "--token", "4"},
                                                     {"--view", "text", "--heads-shown", "4"},
                                                     {"--view", "text", "--heads-shown", "none"},
                                                     {"--view", "text", "--along", "diagonal"},
                                                     {"--view", "text", "--combine", "max"},
                                                     {"--view", "explanation", "--stage", "weights", "--at", "0,0,4,0"},
                                                     {"--head", "-1"},
                                                     {"--head", "x"},
                                                     {"--stage", "nonsense"},
                                                     {"--stage", "dropped_weights"},
                                                     {"--colormap", "jet"},
                                                     {"--range", "1"},
                                                     {"--range", "1,0"},
                                                     {"--range", "0,inf"},
                                                     {"--range", "a,b"},
                                                     {"--cell", "0"},
                                                     {"--cell", "99999"},
                                                     {"--labels", "yes"},
                                                     {"--theme", "blue"},
                                                     {"--width", "0"},
                                                     {"--width", "100000"},
                                                     {"--width", "85 mm wide"},
                                                     {"--width", "9000mm"},
                                                     {"--dpi", "0"},
                                                     {"--font-size", "0"},
                                                     {"--background", "black"},
                                                     {"--caption", "maybe"},
                                                     {"--key-labels", "none"},
                                                     {"--heads-shown", "none"},
                                                     {"--view", "stage", "--cell", "1.5"}};
  for (const std::vector<std::string>& words : bad) {
    std::vector<std::string> all = render_with({"--out", "no.png"});
    all.insert(all.end(), words.begin(), words.end());
    const Result result = cli(all);
    expect_refused(result, 2, {words[words.size() - 2].substr(2)});
    EXPECT_FALSE(std::filesystem::exists(folder_ / "no.png"));
  }
}

TEST_F(Render, TheFolderMustBeThereAndWritable) {
  expect_refused(cli(render_with({"--out", "missing/x.png"})), 3, {"missing"});
  std::filesystem::create_directory(folder_ / "folder.png");
  expect_refused(cli(render_with({"--out", "folder.png"})), 3, {"folder.png"});
}

TEST_F(Render, ItNeedsNoDisplayAndNoHome) {
  std::vector<std::string> words = render_with({"--out", "bare.png"});
  const Result result = run_cli(
      words, {folder_.path(),
              "",
              {{"DISPLAY", ""}, {"HOME", "/nonexistent"}, {"XDG_CACHE_HOME", "/nonexistent"}, {"LC_ALL", "C"}}});
  EXPECT_EQ(result.code, 0) << result.err;
}

}  // namespace
}  // namespace headscope
