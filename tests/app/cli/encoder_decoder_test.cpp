// Models with an encoder and a decoder, as a user runs them.
#include <cmath>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::string kModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/encoder_decoders/";

class EncoderDecoder : public CommandTest {
 protected:
  static std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  const std::vector<std::string> texts_ = {"--model", kModels + "t5",  "--token-ids",
                                           "5,6,7,8", "--decoder-ids", "0,9,10"};
  std::vector<std::string> command(const char* name, const std::vector<std::string>& more = {}) const {
    return with(with({name}, texts_), more);
  }
};

TEST_F(EncoderDecoder, InfoNamesTheThreeLists) {
  const Result text = cli({"info", kModels + "bart"});
  ASSERT_EQ(text.code, 0) << text.err;
  for (const char* line : {"encoder: 2 layers, 3 heads, head_dim 7", "decoder: 3 layers, 7 heads, head_dim 3, causal",
                           "cross: 3 layers, 7 heads, head_dim 3, keys and values from the encoder",
                           "output head: next token, tied to the embedding", "begins with token 2"}) {
    EXPECT_NE(text.out.find(line), std::string::npos) << text.out;
  }
  const auto json = nlohmann::json::parse(cli({"info", kModels + "t5", "--json"}).out);
  EXPECT_EQ(json["lists"].size(), 3U);
  EXPECT_EQ(json["lists"][2]["attention"], "cross");
  EXPECT_EQ(json["lists"][1]["num_layers"], 3);
  EXPECT_EQ(json["decoder_start_token"], 0);
  EXPECT_TRUE(json["unexpected_tensors"].empty());
}

TEST_F(EncoderDecoder, RunShowsCrossAttentionAndPredicts) {
  const Result result = cli(command("run", {"--json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const auto manifest = nlohmann::json::parse(result.out);
  EXPECT_EQ(manifest["tokens"].size(), 3U);
  EXPECT_EQ(manifest["key_tokens"].size(), 4U);
  EXPECT_EQ(manifest["request"]["decoder_ids"], "0,9,10") << manifest["request"];
  for (const char* list : {"decoder", "cross"}) {
    const Result predicted = cli(command("run", {"--attention", list, "--predict", "2", "--json"}));
    ASSERT_EQ(predicted.code, 0) << predicted.err;
    EXPECT_NE(predicted.out.find("\"logit\""), std::string::npos);
  }
}

TEST_F(EncoderDecoder, AnOffHeadOfTheShownListChangesThePrediction) {
  const Result result = cli(command("run", {"--predict", "2", "--ablate", "0.1,2.0"}));
  ASSERT_EQ(result.code, 0) << result.err;
  expect_refused(cli(command("run", {"--attention", "encoder", "--ablate", "2.0"})), 2, {"--ablate", "layer 2"});
}

TEST_F(EncoderDecoder, SessionsKeepTheTextAndTheList) {
  ASSERT_EQ(cli(command("run", {"--attention", "decoder", "--layer", "1", "--export", "weights", "--format", "npy",
                                "--out", "first"}))
                .code,
            0);
  ASSERT_EQ(
      cli({"run", "--session", "first/manifest.json", "--export", "weights", "--format", "npy", "--out", "again"}).code,
      0);
  EXPECT_EQ(stage("first", "weights").values(), stage("again", "weights").values());
  const Result png = cli(command("render", {"--view", "heads", "--out", "heads.png"}));
  ASSERT_EQ(png.code, 0) << png.err;
  EXPECT_EQ(cli({"run", "--session", "heads.png"}).code, 0);
}

TEST_F(EncoderDecoder, ExplainNamesTheBucketThatIsAdded) {
  const Result result = cli(command(
      "explain", {"--attention", "decoder", "--layer", "0", "--stage", "masked_scores", "--at", "0,2,2,1", "--json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  bool found = false;
  for (const auto& operand : json["operands"]) {
    if (operand["stage"] != "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight") continue;
    found = true;
    EXPECT_EQ(operand["index"], nlohmann::json({1, 2})) << "one key back: bucket 1, of head 2";
  }
  EXPECT_TRUE(found) << result.out;
  const Result cross = cli(command("explain", {"--stage", "key_proj", "--at", "0,1,2"}));
  EXPECT_EQ(cross.code, 0) << cross.err;
}

TEST_F(EncoderDecoder, ScriptsOfAllListsAreWritten) {
  for (const char* list : {"encoder", "decoder", "cross"}) {
    for (const char* language : {"pytorch", "latex"}) {
      const Result result = cli(command("script", {"--attention", list, "--as", language, "--out", "script"}));
      EXPECT_EQ(result.code, 0) << list << ", " << language << ": " << result.err;
    }
  }
}

TEST_F(EncoderDecoder, TheDecoderGoesOnWithItsText) {
  const auto ids = [&](const Result& result) {
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out)["ids"];
  };
  const auto found = ids(cli(command("generate", {"--tokens", "3", "--json"})));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(ids(cli(command("generate", {"--tokens", "3", "--attention", "decoder", "--json"}))), found);
  const std::string more = "0,9,10," + std::to_string(found[0].get<int>());
  const auto later = ids(cli({"generate", "--model", kModels + "t5", "--token-ids", "5,6,7,8", "--decoder-ids", more,
                              "--tokens", "2", "--json"}));
  EXPECT_EQ(later, (nlohmann::json{found[1], found[2]})) << "the same, from one token on";
  EXPECT_EQ(ids(cli({"generate", "--model", kModels + "t5", "--token-ids", "5,6", "--tokens", "2", "--json"})).size(),
            2U)
      << "from the start token";
  expect_refused(cli({"generate", "--model", kModels + "bart", "--token-ids", "5,6", "--tokens", "20"}), 2,
                 {"--tokens", "13 positions"});
}

TEST_F(EncoderDecoder, StreamsAndTheLensOfTheDecoder) {
  ASSERT_EQ(cli(command("run", {"--export", "stream,mlp_out", "--format", "npy", "--out", "streams"})).code, 0);
  EXPECT_EQ(stage("streams", "stream").shape(), (Shape{4, 1, 3, 20}));
  EXPECT_EQ(stage("streams", "mlp_out").shape(), (Shape{3, 1, 3, 20}));
  for (const char* list : {"decoder", "cross"}) {
    const Result lens = cli(command("run", {"--lens", "--attention", list, "--json"}));
    ASSERT_EQ(lens.code, 0) << lens.err;
    EXPECT_EQ(nlohmann::json::parse(lens.out)["lens"]["layers"].size(), 4U);
    for (const char* of : {"attention", "heads"}) {
      expect_refused(cli(command("run", {"--lens", "--lens-of", of, "--attention", list})), 2,
                     {"--lens-of", "decoder"});
    }
  }
}

// Who made a logit, of both attentions, and heads of another run put in.
TEST_F(EncoderDecoder, LogitsAreTakenApartAndHeadsArePatched) {
  for (const char* list : {"decoder", "cross"}) {
    const Result told = cli(command("attribute", {"--attention", list, "--at", "1", "--token", "4", "--by", "sources",
                                                  "--json", "--out", "parts.csv"}));
    ASSERT_EQ(told.code, 0) << told.err;
    const auto json = nlohmann::json::parse(told.out);
    EXPECT_NEAR(json["sum"].get<double>(), json["total"].get<double>(), 1e-4);
    int own = 0, cross = 0;
    for (const auto& part : json["parts"]) {
      own += part["name"] == "source" ? 1 : 0;
      cross += part["name"] == "cross source" ? 1 : 0;
    }
    EXPECT_GT(own, 0);
    EXPECT_EQ(cross * 3, own * 4) << "4 tokens of the encoder, 3 of the decoder";
    for (const char* by : {"heads", "sources"}) {
      const Result drawn = cli(command("render", {"--attention", list, "--view", "attribution", "--at", "1", "--token",
                                                  "4", "--by", by, "--out", "a.png"}));
      EXPECT_EQ(drawn.code, 0) << drawn.err;
    }
  }
  const nlohmann::json other = {{"model", kModels + "t5"}, {"token_ids", "8,7,6,5"}, {"decoder_ids", "0,9,10"}};
  folder_.write("a.json", other.dump());
  const Result swept =
      cli(command("sweep", {"--against", "a.json", "--patch", "heads", "--metric", "logit:4", "--json"}));
  EXPECT_EQ(swept.code, 0) << swept.err;
  expect_refused(
      cli(command("sweep", {"--against", "a.json", "--patch", "heads", "--metric", "logit:4", "--estimate"})), 2,
      {"--estimate", "decoder"});
  expect_refused(
      cli(command("sweep", {"--against", "a.json", "--patch", "paths", "--from", "0:1", "--metric", "logit:4"})), 2,
      {"--attention", "no path"});
}

TEST_F(EncoderDecoder, EveryStageOfTheDecoderIsExplainedAsItIsExported) {
  for (const char* list : {"decoder", "cross"}) {
    const bool cross = list == std::string("cross");
    std::vector<std::string> stages = {"stream", "attention_out", "final_norm", "logits"};
    if (cross) stages.insert(stages.end(), {"mlp_in", "mlp_out"});
    std::string names;
    for (const std::string& name : stages) names += (names.empty() ? "" : ",") + name;
    std::vector<std::string> words = command("run", {"--attention", list, "--export", names});
    words.erase(words.begin());
    run_to(list, words);
    for (const std::string& name : stages) {
      const bool layers = name != "final_norm" && name != "logits";
      const Result result = cli(
          command("explain", {"--attention", list, "--stage", name, "--at", layers ? "1,0,1,3" : "0,1,3", "--json"}));
      ASSERT_EQ(result.code, 0) << name << " " << result.err;
      const auto json = nlohmann::json::parse(result.out);
      const Tensor exported = stage(list, name);
      const float value = layers ? exported.at({1, 0, 1, 3}) : exported.at({0, 1, 3});
      EXPECT_EQ(static_cast<float>(json["value"].get<double>()), value) << list << " " << name;
      const double last = json["steps"].back()["value"].get<double>();
      EXPECT_TRUE(std::abs(last - static_cast<double>(value)) <= 1e-4 * (1 + std::abs(value))) << name << " " << last;
    }
  }
}

TEST_F(EncoderDecoder, WhatIsNotDoneIsRefused) {
  const auto refuse = [&](const std::vector<std::string>& words, const std::vector<std::string>& said) {
    expect_refused(cli(words), 2, said);
  };
  refuse(command("run", {"--export", "mlp_out", "--attention", "decoder", "--out", "t"}),
         {"--export", "--attention cross"});
  refuse(command("explain", {"--stage", "mlp_out", "--at", "1,0,0,0", "--attention", "decoder"}),
         {"--stage", "--attention cross"});
  refuse(command("generate", {"--tokens", "2", "--attention", "encoder"}), {"--attention", "goes on with no text"});
  refuse(command("render", {"--view", "composition", "--out", "c.png"}), {"--view", "decoder"});
  refuse({"run", "--model", kModels + "t5", "--token-ids", "5,6", "--predict", "2"}, {"--predict", "--decoder-phrase"});
  refuse({"run", "--model", kModels + "t5", "--token-ids", "5,6", "--attention", "cross"},
         {"--attention", "decoder-phrase"});
  refuse({"run", "--phrase", "a b", "--decoder-phrase", "a"}, {"--decoder-phrase"});
  refuse({"run", "--model", "seeded", "--phrase", "a b", "--attention", "decoder"}, {"--attention"});
  refuse({"run", "--model", kModels + "t5", "--token-ids", "5,6", "--decoder-phrase", "a"},
         {"--decoder-phrase", "no tokenizer"});
  refuse({"run", "--model", kModels + "t5", "--image", "cat.png"}, {"--image", "reads texts"});
}

}  // namespace
}  // namespace headscope
