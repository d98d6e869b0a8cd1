// What a refusal says of models that are in no row of the table of families.
#include "core/model/near_family.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "core/model/family.h"
#include "tests/core/model/read_config.h"

namespace headscope {
namespace {

TEST(NearFamily, WhatIsNearIsInTheTable) {
  for (const Family& row : families()) {
    for (const std::string_view type : row.model_types) EXPECT_EQ(near_family(type), nullptr) << type;
  }
  // SigLIP's towers are families of their own, of which "siglip" is the whole.
  const auto is_family = [](std::string_view name) {
    return std::any_of(families().begin(), families().end(), [&](const Family& row) {
      const auto& whole = row.wrappers;
      return row.fixed.family == name || std::find(whole.begin(), whole.end(), name) != whole.end();
    });
  };
  std::set<std::string_view> types;
  for (const NearFamily& near : near_families()) {
    EXPECT_TRUE(types.insert(near.model_type).second) << near.model_type << " stands twice";
    EXPECT_FALSE(near.differs.empty()) << near.model_type;
    EXPECT_TRUE(near.nearest.empty() || is_family(near.nearest)) << near.model_type << " is near to " << near.nearest;
  }
  for (const FamilyGuess& guess : family_guesses()) EXPECT_TRUE(is_family(guess.family)) << guess.family;
  for (const FamilyTrait& trait : family_traits()) EXPECT_FALSE(trait.differs.empty()) << trait.key;
  for (const char* type :
       {"llama4",   "glm4",         "qwen3_next", "codegen", "pegasus",    "longformer",  "openai-gpt", "jamba",
        "kimi_k2",  "deepseek_v32", "swin",       "granite", "mamba",      "nemotron_h",  "qwen3_5",    "deepseek_v4",
        "mistral3", "zamba2",       "bamba",      "exaone4", "minimax_m2", "kimi_linear", "internvl"}) {
    EXPECT_NE(near_family(type), nullptr) << type;
  }
}

TEST(NearFamily, ARefusalNamesTheNearestFamilyOrGuessesIt) {
  const auto says = [](const ConfigJson& config, const std::string& part) {
    const std::string sentence = config_refusal_of(config);
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
    EXPECT_NE(sentence.find(". Expected one of "), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("info --families lists them"), std::string::npos) << sentence;
    EXPECT_LT(sentence.size(), 600U) << "a list is no sentence";
  };
  says({{"model_type", "codegen"}}, "the nearest family is gptj, but queries, values and keys are one matrix");
  says({{"model_type", "rwkv"}}, "\"rwkv\", which is not implemented: it has no attention");
  const auto guessed = [](const char* keys, const char* family) {
    return fmt::format("\"new\", which is not known; by its keys {} the nearest family may be {}, which is a guess",
                       keys, family);
  };
  const auto of = [](std::initializer_list<const char*> keys) {
    ConfigJson config = {{"model_type", "new"}};
    for (const char* key : keys) config[key] = 1;
    return config;
  };
  says(of({"num_key_value_heads", "rms_norm_eps", "rope_theta"}),
       guessed("num_key_value_heads and rms_norm_eps", "llama"));
  says(of({"n_embd", "n_head"}), guessed("n_embd and n_head", "gpt2"));
  says(of({"type_vocab_size", "attention_probs_dropout_prob"}),
       guessed("type_vocab_size and attention_probs_dropout_prob", "bert"));
  says(of({"num_experts", "num_experts_per_tok", "rms_norm_eps"}),
       guessed("num_experts and num_experts_per_tok", "qwen3_moe"));
  says(of({"image_size", "patch_size"}), guessed("image_size and patch_size", "vit"));
  says(of({"encoder_layers", "decoder_layers"}), guessed("encoder_layers and decoder_layers", "bart"));
  says({{"model_type", "new"}, {"text_config", {{"rms_norm_eps", 1}, {"num_key_value_heads", 1}}}},
       guessed("num_key_value_heads and rms_norm_eps", "llama"));
  says({{"n_embd", 1}, {"n_head", 1}}, "model_type is missing; by its keys n_embd and n_head");
  says({{"model_type", "new"}, {"hidden_size", 8}}, "model_type is \"new\". Expected");
  says(of({"index_topk", "q_lora_rank", "num_key_value_heads", "rms_norm_eps"}),
       guessed("index_topk and q_lora_rank", "deepseek_v3") +
           "; as its key index_topk says, an indexer chooses the keys that a query sees");
  says(of({"mamba_num_heads"}), "\"new\"; as its key mamba_num_heads says, some layers are state spaces (Mamba)");
  says({{"model_type", "qwen3_5"}},
       "the nearest family is qwen3, but three of four layers are a gated linear attention");
}

}  // namespace
}  // namespace headscope
