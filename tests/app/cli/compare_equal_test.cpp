// `compare` of two models whose attention is equal: it calls them equal only where every weight is, and says what it
// compared.
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/tensor/tensor.h"
#include "tests/app/cli/changed_model.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::string kGolden = HEADSCOPE_SOURCE_DIR "/tests/golden/";

class CompareEqual : public CommandTest {
 protected:
  // A copy of a golden model in which the tensors whose names hold `part` are what `change` makes of their numbers.
  void write(const std::string& golden, const std::string& name, const std::string& part,
             const std::function<void(std::vector<float>&)>& change) const {
    write_changed_model(
        kGolden + golden, std::filesystem::path(folder_.path()) / name, [](nlohmann::json&) {},
        [&](std::string& tensor_name, Tensor& tensor) {
          if (tensor_name.find(part) == std::string::npos) return true;
          std::vector<float> values = tensor.values();
          change(values);
          tensor = Tensor::of(tensor.shape(), tensor.axes(), std::move(values));
          return true;
        });
  }
  // A of the text 3, 7, 1, 9.
  void write_plain(const std::string& golden, const std::string& more = "") {
    write(golden, "plain", "no such part", [](std::vector<float>&) {});
    folder_.write("plain.json", R"({"model": "plain", "token_ids": [3, 7, 1, 9])" + more + "}");
  }
  static std::vector<std::string> words(const std::string& model, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"compare", "--model", model, "--token-ids", "3,7,1,9", "--against", "plain.json"});
    return more;
  }
  nlohmann::json against_plain(const std::string& model, std::vector<std::string> more = {}) {
    more.push_back("--json");
    const Result result = cli(words(model, std::move(more)));
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
};

TEST_F(CompareEqual, TheLeastBitOfAWeightIsADifference) {
  write_plain("models/llama");
  // Row 0 of the words is none of the text's ids, and five lies in it.
  for (const auto& [part, named] : {std::pair("layers.1.mlp.down_proj", "layers.1.down.weight"),
                                    {"model.norm", "head.final_norm.weight"},
                                    {"lm_head", "head.decoder.weight"},
                                    {"embed_tokens", "embedding.word"}}) {
    write("models/llama", named, part,
          [](std::vector<float>& values) { values[5] = std::nextafter(values[5], 10.0F); });
    const nlohmann::json found = against_plain(named);
    EXPECT_EQ(found["equal"], false) << part;
    EXPECT_TRUE(found["compared"].is_null()) << part;
    const std::string besides = found["besides"].is_null() ? "nothing" : found["besides"].get<std::string>();
    EXPECT_TRUE(besides == std::string("weights differ that do not show in these results: ") + named ||
                besides.starts_with("the final hidden states differ") ||
                besides.starts_with("the logits of the last position differ"))
        << part << ": " << besides;
    const Result checked = cli(words(named, {"--check"}));
    EXPECT_EQ(checked.code, 4) << part;
    EXPECT_EQ(checked.out.find("equal, to the last bit"), std::string::npos) << checked.out;
  }
  EXPECT_EQ(against_plain("embedding.word")["besides"],
            "weights differ that do not show in these results: embedding.word");
}

TEST_F(CompareEqual, SmallDifferencesBehindAttentionAreMeasured) {
  write_plain("models/llama");
  for (const auto& [part, said] : {std::pair("layers.1.mlp.down_proj", "the final hidden states differ, by "),
                                   {"model.norm", "the final hidden states differ, by 1e-05 of their size"},
                                   {"lm_head", "the logits of the last position differ, by 1e-05 of their size"}}) {
    write("models/llama", part, part, [](std::vector<float>& values) {
      for (float& each : values) each *= 1.00001F;
    });
    const nlohmann::json found = against_plain(part);
    EXPECT_EQ(found["equal"], false) << part;
    EXPECT_TRUE(found["first"].is_null()) << part;
    EXPECT_TRUE(found["besides"].get<std::string>().starts_with(said)) << part << ": " << found["besides"];
  }
}

TEST_F(CompareEqual, WhatWasComparedIsSaid) {
  write_plain("models/llama");
  write("models/llama", "copy", "no such part", [](std::vector<float>&) {});
  EXPECT_EQ(against_plain("copy")["compared"],
            "every number of every stage of all 2 layers, what enters each of them, the final hidden states and the "
            "logits of the last position; every weight and setting that the models read (tensors of their files that "
            "nothing here reads, such as another tower, were not compared)");
  const Result text = cli(words("copy", {"--check"}));
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("equal, to the last bit: every number of every stage of all 2 layers"), std::string::npos);
  EXPECT_NE(against_plain("plain")["compared"].get<std::string>().find("; both are of one model"), std::string::npos);
  // A setting that four tokens do not show.
  write_changed_model(
      kGolden + "models/llama", std::filesystem::path(folder_.path()) / "longer",
      [](nlohmann::json& config) { config["max_position_embeddings"] = 65; },
      [](std::string&, Tensor&) { return true; });
  const nlohmann::json longer = against_plain("longer");
  EXPECT_EQ(longer["equal"], false);
  EXPECT_EQ(longer["besides"],
            "settings of the models differ that do not show in these results: max_positions 64 in A, 65 in B");
}

TEST_F(CompareEqual, OfAnEncoderTheDecoderThatWasNotRunIsLookedAt) {
  write_plain("encoder_decoders/t5", R"(, "attention": "encoder")");
  const auto doubled = [](std::vector<float>& values) {
    for (float& each : values) each *= 2;
  };
  write("encoder_decoders/t5", "copy", "no such part", doubled);
  write("encoder_decoders/t5", "self", "decoder.block.1.layer.0.SelfAttention.v", doubled);
  write("encoder_decoders/t5", "cross", "decoder.block.2.layer.1.EncDecAttention.k", doubled);
  const nlohmann::json equal = against_plain("copy", {"--attention", "encoder"});
  EXPECT_EQ(equal["equal"], true);
  EXPECT_NE(equal["compared"].get<std::string>().find(
                "every number of every stage of all 2 layers of the encoder, what enters each of them and the final "
                "hidden states; every weight and setting that the models read, of the encoder and of the decoder, "
                "which was not run"),
            std::string::npos)
      << equal["compared"];
  for (const auto& [model, named] :
       {std::pair("self", "decoder.layers.1.value.weight"), {"cross", "cross.layers.2.key.weight"}}) {
    const nlohmann::json found = against_plain(model, {"--attention", "encoder"});
    EXPECT_EQ(found["equal"], false) << model;
    EXPECT_EQ(found["besides"], std::string("weights differ that do not show in these results: ") + named);
  }
}

}  // namespace
}  // namespace headscope
