// Attention that was computed elsewhere.
#include <fstream>

#include "core/io/safetensors.h"
#include "tests/app/cli/command.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/io/npz_files.h"

namespace headscope {
namespace {

class Capture : public CommandTest {
 protected:
  Capture() {
    const Tensor weights = Tensor::of({1, 1, 2, 3}, {Axis::batch, Axis::head, Axis::query, Axis::key},
                                      {0.5F, 0.25F, 0.25F, 0.5F, 0.5F, 0.5F});
    std::ofstream out(folder_ / "capture.safetensors", std::ios::binary);
    write_safetensors(out, {{"layers.0.weights", &weights}, {"layers.2.weights", &weights}},
                      {{"tokens", R"(["a", "b"])"}, {"key_tokens", R"(["x", "y", "z"])"}});
  }
};

TEST_F(Capture, InfoSaysWhatWasCapturedAndWhetherRowsAddUp) {
  const Result result = cli({"info", "capture.safetensors", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["kind"], "capture");
  EXPECT_EQ(json["capture"]["key_tokens"], (std::vector<std::string>{"x", "y", "z"}));
  ASSERT_EQ(json["capture"]["layers"].size(), 2u);
  EXPECT_EQ(json["capture"]["layers"][1]["layer"], 2);
  EXPECT_EQ(json["capture"]["layers"][1]["query_key"], false);
  EXPECT_EQ(json["capture"]["layers"][1]["row_sums"]["off"], 1);
  EXPECT_EQ(json["capture"]["layers"][1]["row_sums"]["largest_error"], 0.5);
  EXPECT_NE(cli({"info", "capture.safetensors"}).out.find("1 of 2 rows do not add up to 1"), std::string::npos);
}

TEST_F(Capture, RunExportsWhatWasCaptured) {
  Result result =
      cli({"run", "--model", "capture.safetensors", "--export", "weights", "--format", "csv", "--out", "t"});
  ASSERT_EQ(result.code, 0) << result.err;
  std::ifstream in(folder_ / "t/weights.b0.h0.csv");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "query\\key,x,y,z\na,0.5,0.25,0.25\nb,0.5,0.5,0.5\n");
  const auto json = nlohmann::json::parse(cli({"run", "--model", "capture.safetensors", "--json"}).out);
  EXPECT_EQ(json["stages"].size(), 1u);
  EXPECT_EQ(json["stages"]["weights"]["operation"], "captured");
  EXPECT_EQ(json["capture"]["layer"], 2);
  EXPECT_EQ(json["capture"]["row_sums"]["off"], 1);
  EXPECT_TRUE(json["capture"]["weights_difference"].is_null());
  result = cli({"run", "--model", "capture.safetensors"});
  EXPECT_NE(result.out.find("captured"), std::string::npos) << result.out;
}

TEST_F(Capture, TensorsWithoutANameOfACaptureAreNamedWithTheNearestOne) {
  const Tensor weights = Tensor::of({1, 1, 1, 2}, {Axis::batch, Axis::head, Axis::query, Axis::key}, {0.5F, 0.5F});
  const auto write = [&](const std::string& name, const std::vector<NamedTensorRef>& tensors) {
    std::ofstream out(folder_ / name, std::ios::binary);
    write_safetensors(out, tensors, {});
  };
  write("typo.safetensors", {{"layers.0.weights", &weights}, {"layers.1.wieghts", &weights}, {"hidden", &weights}});
  const Result run = cli({"run", "--model", "typo.safetensors", "--json"});
  EXPECT_EQ(run.code, 0);
  const std::string said =
      "typo.safetensors: 2 tensors have no name of a capture and are not read: hidden, layers.1.wieghts (near "
      "layers.1.weights)";
  EXPECT_NE(run.err.find(said), std::string::npos) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["notices"].at(0), said);
  write("none.safetensors", {{"layer.0.weights", &weights}});
  expect_refused(cli({"run", "--model", "none.safetensors"}), 3,
                 {"none.safetensors is no capture", "found layer.0.weights (near layers.0.weights)"});
}

// Whether an array's first axes are layers or batch items cannot be seen in it.
TEST_F(Capture, AnArrayWhoseAxesCouldBeOthersSaysHowItWasRead) {
  const std::string five = write_array("five", {1, 6, 2, 3, 3}, std::vector<float>(108, 1.0F / 3));
  const Result run = cli({"run", "--model", five, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string said = "read as [layers, batch, heads, q, k]: 1 layer of 6 batch items";
  EXPECT_NE(run.err.find(said), std::string::npos) << run.err;
  const auto notices = nlohmann::json::parse(run.out).at("notices");
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_NE(notices[0].get<std::string>().find(said), std::string::npos);
  expect_refused(cli({"run", "--model", five, "--layer", "3"}), 2, {"--layer", said, "numpy.swapaxes(a, 0, 1)"});
  const std::string four = write_array("four", {6, 2, 3, 3}, std::vector<float>(108, 1.0F / 3));
  EXPECT_NE(cli({"run", "--model", four}).err.find("read as [layers, heads, q, k]: 6 layers"), std::string::npos);
  const std::string one = write_array("one", {1, 2, 3, 3}, std::vector<float>(18, 1.0F / 3));
  EXPECT_EQ(cli({"run", "--model", one}).err, "") << "one layer of one item is the same either way";
}

TEST_F(Capture, AnArrayThatIsNoWeightsIsSaidToBeNone) {
  const std::string scores = write_array("scores", {2, 3, 3}, std::vector<float>(18, -2.5F));
  const Result run = cli({"run", "--model", scores, "--summary"});
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.err.find("scores.npy is read as weights, and 6 of 6 rows do not add up to 1"), std::string::npos)
      << run.err;
  EXPECT_NE(run.err.find("layers.0.scores"), std::string::npos) << run.err;
}

TEST_F(Capture, ExplainSaysThatNothingIsKnownBehindCapturedWeights) {
  const Result result =
      cli({"explain", "--model", "capture.safetensors", "--stage", "weights", "--at", "0,0,0,1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["value"], 0.25);
  EXPECT_EQ(json["steps"].size(), 1u);
  EXPECT_TRUE(json["operands"].empty());
}

TEST_F(Capture, RenderDrawsIt) {
  EXPECT_EQ(cli({"render", "--model", "capture.safetensors", "--layer", "0", "--view", "heads", "--out", "h.png"}).code,
            0);
  EXPECT_EQ(cli({"render", "--session", "h.png", "--out", "again.png"}).code, 0);
  expect_refused(
      cli({"render", "--model", "capture.safetensors", "--view", "stage", "--stage", "context", "--out", "c.png"}), 2,
      {"context"});
}

TEST_F(Capture, ArraysTakeTheTokensOfTheListBesideThem) {
  write_array("weights", {1, 2, 2}, {1, 0, 0.5F, 0.5F});
  EXPECT_EQ(nlohmann::json::parse(cli({"run", "--model", "weights.npy", "--json"}).out)["tokens"],
            (std::vector<std::string>{"0", "1"}));
  folder_.write("weights.tokens.txt", "one\ntwo\n");
  const Result result = cli({"run", "--model", "weights.npy", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["tokens"], (std::vector<std::string>{"one", "two"}));
  folder_.write("weights.tokens.txt", "one\n");
  expect_refused(cli({"run", "--model", "weights.npy"}), 3, {"weights.tokens.txt", "1 tokens for the 2 queries"});
}

TEST_F(Capture, APhraseNamesItsTokens) {
  write_array("weights", {1, 2, 2}, {1, 0, 0.5F, 0.5F});
  const auto tokens = [&](const std::vector<std::string>& words) {
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out)["tokens"];
  };
  const std::vector<std::string> names = {"the", "cat"};
  EXPECT_EQ(tokens({"run", "--model", "weights.npy", "--phrase", "the cat", "--json"}), names);
  folder_.write("names.txt", "the\ncat\n");
  EXPECT_EQ(tokens({"run", "--model", "weights.npy", "--phrase-file", "names.txt", "--json"}), names);
  // A session keeps them, and so does a picture.
  ASSERT_EQ(cli({"render", "--model", "weights.npy", "--phrase", "[\"the\", \"cat\"]", "--out", "h.png"}).code, 0);
  EXPECT_EQ(tokens({"run", "--session", "h.png", "--json"}), names);
}

TEST_F(Capture, ArchivesAndFiveAxesAreCapturesToo) {
  folder_.write("a.npz", test::from_hex(test::kStoredNpz));
  for (const char* command : {"run", "info"}) {
    const bool info = std::string(command) == "info";
    const Result result = info ? cli({"info", "a.npz", "--json"}) : cli({"run", "--model", "a.npz", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    EXPECT_EQ((info ? json["capture"] : json)["tokens"], (std::vector<std::string>{"a", "\xC3\xA9"}));
  }
  EXPECT_EQ(cli({"render", "--model", "a.npz", "--view", "heads", "--out", "h.png"}).code, 0);
  write_array("five", {2, 1, 1, 1, 2}, {1, 0, 0.5F, 0.5F});
  const auto five = nlohmann::json::parse(cli({"run", "--model", "five.npy", "--layer", "0", "--json"}).out);
  EXPECT_EQ(five["stages"]["weights"]["max"], 1);
  const auto told = nlohmann::json::parse(cli({"info", "five.npy", "--json"}).out);
  EXPECT_EQ(told["kind"], "npy");
  EXPECT_EQ(told["capture"]["layers"].size(), 2u);
  folder_.write("cut.npz", test::from_hex(test::kStoredNpz).substr(0, 300));
  expect_refused(cli({"run", "--model", "cut.npz"}), 3, {"cut.npz", "directory is missing"});
  expect_refused(cli({"info", "cut.npz"}), 3, {"cut.npz"});
}

TEST_F(Capture, LayersThatWereNotCapturedAreNamed) {
  EXPECT_NE(cli({"run", "--model", "capture.safetensors"}).out.find("layer 1 was not captured"), std::string::npos);
  EXPECT_NE(cli({"info", "capture.safetensors"}).out.find("layer 1 was not captured"), std::string::npos);
  const auto json = nlohmann::json::parse(cli({"run", "--model", "capture.safetensors", "--json"}).out);
  EXPECT_EQ(json["capture"]["missing_layers"], (std::vector<int>{1}));
}

TEST_F(Capture, WhatDoesNotGoTogetherIsRefused) {
  const std::string model = "capture.safetensors";
  expect_refused(cli({"run", "--model", model, "--layer", "1"}), 2, {"--layer", "no layer 1", "0, 2"});
  expect_refused(cli({"run", "--model", model, "--phrase", "a b c"}), 2, {"--phrase", "2 names wanted, 3 given"});
  expect_refused(cli({"run", "--model", model, "--second-phrase", "a"}), 2, {"--second-phrase"});
  expect_refused(cli({"run", "--model", model, "--mask", "causal"}), 2, {"--mask", "without queries and keys"});
  expect_refused(cli({"run", "--model", model, "--heads", "2"}), 2, {"--heads", "2", "1"});
  write_array("theirs", {1, 1, 2, 3}, std::vector<float>(6, 0.5F));
  expect_refused(cli({"diagnose", "--model", model, "--stage", "weights", "--theirs", "theirs.npy"}), 2, {"--model"});
  expect_refused(cli({"run", "--model", "missing.safetensors"}), 3, {"missing.safetensors"});
  folder_.write("broken.safetensors", "abc");
  expect_refused(cli({"run", "--model", "broken.safetensors"}), 3, {"broken.safetensors"});
}

}  // namespace
}  // namespace headscope
