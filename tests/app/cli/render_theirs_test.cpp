// `render --view difference --theirs`: a stage of other code beside ours.
#include <filesystem>
#include <string>
#include <vector>

#include "core/io/atomic_file.h"
#include "core/io/npy.h"
#include "core/io/png.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class RenderTheirs : public CommandTest {
 protected:
  static std::vector<std::string> with_request(const char* command, std::vector<std::string> more) {
    std::vector<std::string> words = {command,   "--model", "seeded",    "--phrase", "uno dos tres cuatro",
                                      "--heads", "2",       "--d-model", "12",       "--mask",
                                      "causal"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // Exports the stages of the request with `more`.
  void write(const std::string& stages, const std::string& format, std::vector<std::string> more) {
    more.insert(more.end(), {"--export", stages, "--format", format, "--out", "theirs"});
    const Result result = cli(with_request("run", more));
    ASSERT_EQ(result.code, 0) << result.err;
  }
  Result render(const std::vector<std::string>& more, const std::string& out = "a.svg") {
    std::vector<std::string> words = with_request("render", more);
    words.insert(words.end(), {"--out", out});
    return cli(words);
  }
  std::string drawn(const std::vector<std::string>& more) {
    const Result result = render(more);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? read_small_file(folder_ / "a.svg", 1 << 24) : "";
  }
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(RenderTheirs, ShowsTheVerdictWhereAndTheMistake) {
  write("weights,output", "npy", {"--variant", "no-scale"});
  const std::string svg = drawn({"--theirs", "theirs/weights.npy", "--stage", "weights"});
  for (const char* words : {">theirs<", ">ours<", "weights differs", "cells differ", "no-scale"}) {
    EXPECT_TRUE(holds(svg, words)) << words;
  }
  EXPECT_EQ(drawn({"--theirs", "theirs/weights.npy", "--stage", "weights", "--view", "difference"}), svg);
  EXPECT_TRUE(holds(drawn({"--theirs", "theirs/output.npy", "--stage", "output"}), "output differs"));
  EXPECT_EQ(render({"--theirs", "theirs/output.npy", "--stage", "output"}, "a.png").code, 0);
  EXPECT_GT(read_png(folder_ / "a.png").width, 100);
  EXPECT_EQ(render({"--theirs", "theirs/output.npy", "--stage", "output"}, "a.pdf").code, 0);
}

TEST_F(RenderTheirs, IsAtTheHeadOfTheFirstDifferenceUnlessAnotherIsGiven) {
  write("query", "npy", {});
  const std::string equal = drawn({"--theirs", "theirs/query.npy", "--stage", "query"});
  EXPECT_TRUE(holds(equal, "query is equal"));
  EXPECT_TRUE(holds(equal, "head 0"));
  std::vector<float> numbers = read_npy(folder_ / "theirs/query.npy").tensor.values();
  numbers[24 + 7] += 1;  // position 1 of head 1
  const std::string path = write_array("changed", {1, 2, 4, 6}, numbers);
  const std::string changed = drawn({"--theirs", path, "--stage", "query"});
  EXPECT_TRUE(holds(changed, "head 1"));
  EXPECT_TRUE(holds(changed, "1 of the 24"));
  const std::string other = drawn({"--theirs", path, "--stage", "query", "--head", "0"});
  EXPECT_TRUE(holds(other, "head 0"));
  EXPECT_TRUE(holds(other, "no cell"));
}

TEST_F(RenderTheirs, AHeadIsShownInTheFirstItemInWhichItDiffers) {
  write("query", "npy", {"--batch", "3"});
  std::vector<float> numbers = read_npy(folder_ / "theirs/query.npy").tensor.values();
  numbers[48 + 24 + 7] += 1;     // item 1, head 1, position 1
  numbers[2 * 48 + 2 * 6] += 1;  // item 2, head 0, position 2
  const std::string path = write_array("changed", {3, 2, 4, 6}, numbers);
  const auto shown = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--batch", "3", "--theirs", path, "--stage", "query"});
    return drawn(more);
  };
  const std::string second = shown({"--head", "0"}), first = shown({});
  for (const char* words : {"batch item 2 (0 to 2)", "head 0", "1 of the 24"})
    EXPECT_TRUE(holds(second, words)) << words;
  for (const char* words : {"batch item 1 (0 to 2)", "head 1", "1 of the 24"})
    EXPECT_TRUE(holds(first, words)) << words;
  EXPECT_EQ(shown({"--head", "1"}), first);
}

TEST_F(RenderTheirs, LogarithmsAreForWeights) {
  write("weights,query", "npy", {"--variant", "no-scale"});
  const std::vector<std::string> weights = {"--theirs", "theirs/weights.npy", "--stage", "weights"};
  std::vector<std::string> logarithmic = weights;
  logarithmic.push_back("--log");
  EXPECT_TRUE(holds(drawn(logarithmic), "linear"));
  expect_refused(render({"--theirs", "theirs/query.npy", "--stage", "query", "--log"}), 2,
                 {"--log", "--stage of weights"});
  // The difference of two results refuses it too.
  ASSERT_EQ(render({"--view", "heads", "--log"}, "log.svg").code, 0);
  expect_refused(render({"--against", "log.svg", "--log"}), 2, {"--log", "difference of two results"});
  EXPECT_EQ(cli({"render", "--session", "log.svg", "--against", "log.svg", "--out", "b.svg"}).code, 0);
  std::vector<std::string> keys = weights;
  keys.insert(keys.end(), {"--width", "85mm", "--key-labels", "outer"});
  expect_refused(render(keys), 2, {"--key-labels", "--view heads"});
}

TEST_F(RenderTheirs, OneSequenceWithoutBatchAndOtherLayoutsAreRead) {
  write("output", "npy", {});
  std::vector<float> numbers(48);
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<float>(k % 7);
  const std::string flat = write_array("flat", {4, 12}, numbers);
  EXPECT_TRUE(holds(drawn({"--theirs", flat, "--stage", "output"}), "output differs"));
  const Result turned = render({"--theirs", write_array("bshd", {1, 4, 2, 6}, numbers), "--stage", "query"});
  EXPECT_EQ(turned.code, 0);
  EXPECT_TRUE(holds(turned.err, "theirs, query, is read as [batch, len, heads, features]")) << turned.err;
}

TEST_F(RenderTheirs, OneOfSeveralInAFileIsTaken) {
  write("scores,weights", "safetensors", {"--variant", "no-scale"});
  std::string file;
  for (const auto& each : std::filesystem::directory_iterator(folder_ / "theirs")) {
    if (each.path().extension() == ".safetensors") file = each.path().string();
  }
  EXPECT_TRUE(holds(drawn({"--theirs", file, "--stage", "scores"}), "scores differs"));
}

TEST_F(RenderTheirs, ThePictureDrawsItselfAgain) {
  write("weights", "npy", {"--variant", "no-scale"});
  ASSERT_EQ(render({"--theirs", "theirs/weights.npy", "--stage", "weights", "--head", "1"}, "a.png").code, 0);
  const Result again = cli({"render", "--session", "a.png", "--out", "b.png"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read_png(folder_ / "b.png").pixels, read_png(folder_ / "a.png").pixels);
  EXPECT_EQ(read_png_info(folder_ / "b.png").texts, read_png_info(folder_ / "a.png").texts);
  // Another view of it is of the request alone.
  EXPECT_EQ(cli({"render", "--session", "a.png", "--view", "heads", "--out", "heads.png"}).code, 0);
  std::filesystem::remove(folder_ / "theirs/weights.npy");
  expect_refused(cli({"render", "--session", "a.png", "--out", "c.png"}), 3, {"theirs/weights.npy"});
}

TEST_F(RenderTheirs, WhatCannotBeShownIsRefused) {
  write("weights", "npy", {});
  const std::vector<std::string> theirs = {"--theirs", "theirs/weights.npy"};
  const auto refused = [&](std::vector<std::string> more, int code, const std::vector<std::string>& parts,
                           const std::string& out = "none.svg") {
    more.insert(more.begin(), theirs.begin(), theirs.end());
    expect_refused(render(more, out), code, parts);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "none.svg"));
  };
  refused({}, 2, {"--stage", "missing"});
  refused({"--stage", "weights", "--view", "heads"}, 2, {"--theirs", "--view heads", "--view difference"});
  refused({"--stage", "output"}, 2, {"--theirs", "[1, 2, 4, 4]", "[1, 4, 12]"});
  refused({"--stage", "weights", "--head", "2"}, 2, {"--head", "heads 0 to 1"});
  refused({"--stage", "output", "--head", "1"}, 2, {"--head", "a --stage that has heads"});
  refused({"--stage", "weights"}, 2, {"page"}, "none.html");
  refused({"--stage", "weights", "--against", "a.svg"}, 2, {"--theirs", "--against", "one of both"});
  expect_refused(render({"--theirs", "nowhere.npy", "--stage", "weights"}), 3, {"nowhere.npy"});
  // What was read is never replaced.
  std::filesystem::copy(folder_ / "theirs/weights.npy", folder_ / "weights.png");
  expect_refused(render({"--theirs", "weights.png", "--stage", "weights"}, "weights.png"), 2, {"weights.png", "read"});
}

}  // namespace
}  // namespace headscope
