// Whisper, as a user runs it: the features of a sound, and a text of the decoder.
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::string kWhisper = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/encoder_decoders/whisper";

class Whisper : public CommandTest {
 protected:
  static std::vector<std::string> command(const char* name, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {name, "--model", kWhisper, "--features", kWhisper + "/features.npy"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(Whisper, InfoSaysWhatItReads) {
  const Result text = cli({"info", kWhisper});
  ASSERT_EQ(text.code, 0) << text.err;
  for (const char* line : {"reads features of sounds (--features): [5, 18]", "\nlearned positions up to 9, attends",
                           "decoder: 3 layers, 5 heads, head_dim 6, causal", "begins with token 4"}) {
    EXPECT_NE(text.out.find(line), std::string::npos) << text.out;
  }
  const auto json = nlohmann::json::parse(cli({"info", kWhisper, "--json"}).out);
  EXPECT_EQ(json["features"], (nlohmann::json{{"bands", 5}, {"frames", 18}}));
  EXPECT_TRUE(json["unexpected_tensors"].empty());
}

TEST_F(Whisper, RunsItsThreeListsAndPredicts) {
  const auto encoder = nlohmann::json::parse(cli(command("run", {"--json"})).out);
  EXPECT_EQ(encoder["tokens"].size(), 9U);
  EXPECT_EQ(encoder["features"]["frames"], 18);
  EXPECT_EQ(encoder["features"]["bands"], 5);
  const Result cross = cli(command("run", {"--decoder-ids", "4,9,10", "--predict", "2", "--json"}));
  ASSERT_EQ(cross.code, 0) << cross.err;
  const auto manifest = nlohmann::json::parse(cross.out);
  EXPECT_EQ(manifest["key_tokens"].size(), 9U);
  EXPECT_EQ(manifest["key_tokens"][1], "f2");
  EXPECT_EQ(manifest["tokens"].size(), 3U);
  const Result text = cli(command("generate", {"--tokens", "3", "--json"}));
  ASSERT_EQ(text.code, 0) << text.err;
}

TEST_F(Whisper, SessionsKeepTheFeatures) {
  ASSERT_EQ(
      cli(command("run", {"--decoder-ids", "4,9", "--export", "weights", "--format", "npy", "--out", "first"})).code,
      0);
  ASSERT_EQ(
      cli({"run", "--session", "first/manifest.json", "--export", "weights", "--format", "npy", "--out", "again"}).code,
      0);
  EXPECT_EQ(stage("first", "weights").values(), stage("again", "weights").values());
}

TEST_F(Whisper, ExplainsTheFirstStreamAndWritesScripts) {
  const Result result = cli(command("explain", {"--stage", "stream", "--at", "0,0,2,3", "--json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["operands"].size(), 2U);
  const double sum = json["operands"][0]["value"].get<double>() + json["operands"][1]["value"].get<double>();
  EXPECT_NEAR(sum, json["value"].get<double>(), 1e-6);
  EXPECT_EQ(cli(command("explain", {"--stage", "key_proj", "--at", "0,1,2"})).code, 0) << "keys without a bias";
  for (const char* list : {"encoder", "decoder", "cross"}) {
    for (const char* language : {"pytorch", "numpy", "latex"}) {
      const Result script =
          cli(command("script", {"--decoder-ids", "4,9", "--attention", list, "--as", language, "--out", "script"}));
      EXPECT_EQ(script.code, 0) << list << ", " << language << ": " << script.err;
    }
  }
}

TEST_F(Whisper, WhatDoesNotFitIsRefused) {
  expect_refused(cli({"run", "--model", kWhisper, "--phrase", "a"}), 2, {"--phrase", "--features FILE.npy, [5, 18]"});
  expect_refused(cli(command("run", {"--phrase", "a"})), 2, {"phrase", "features", "exclude"});
  expect_refused(cli(command("run", {"--decoder-phrase", "a"})), 2, {"--decoder-phrase", "no tokenizer"});
  expect_refused(cli({"run", "--features", "x.npy"}), 2, {"features", "Whisper"});
  expect_refused(cli({"run", "--model", kWhisper, "--features", "missing.npy"}), 3, {"missing.npy"});
}

}  // namespace
}  // namespace headscope
