// What Falcon and MPT read from config.json; their arithmetic is in tests/golden/models.
#include <gtest/gtest.h>

#include "core/request/alibi.h"
#include "tests/core/model/read_config.h"

namespace headscope {
namespace {

using Arch = Architecture;

ConfigJson falcon() {
  ConfigJson config = sized_json("falcon");
  config.erase("num_key_value_heads");
  return config;
}

TEST(FamilyFalcon, AllHeadsShareOneKeyBehindOneNorm) {
  const Architecture plain = config_of_json(falcon()).architecture;
  EXPECT_EQ(plain.num_kv_heads, 1);
  EXPECT_EQ(plain.fused_rows, Arch::FusedRows::blocked);
  EXPECT_TRUE(plain.parallel && plain.shared_norm && plain.norm_bias && plain.tied_embeddings);
  EXPECT_TRUE(!plain.qkv_bias && !plain.output_bias && !plain.mlp_bias);
  EXPECT_EQ(plain.rotary->features, 8);
  EXPECT_EQ(plain.mlp_width, 64);
  EXPECT_EQ(config_of_json(json_with(falcon(), "ffn_hidden_size", 20)).architecture.mlp_width, 20);
  EXPECT_TRUE(config_of_json(json_with(falcon(), "bias", true)).architecture.mlp_bias);
  EXPECT_NE(config_refusal_of(json_with(falcon(), "num_ln_in_parallel_attn", 2)).find("num_ln_in_parallel_attn is 2"),
            std::string::npos);
}

TEST(FamilyFalcon, TheFirstModelsHaveBiasesOfPositions) {
  ConfigJson config =
      json_with(json_with(json_with(falcon(), "alibi", true), "multi_query", false), "parallel_attn", false);
  const Architecture plain = config_of_json(config).architecture;
  EXPECT_TRUE(plain.alibi && !plain.parallel && !plain.shared_norm && !plain.rotary);
  EXPECT_EQ(plain.position, Arch::Position::none);
  EXPECT_EQ(plain.alibi_size, alibi_size_of_falcon(8));
  EXPECT_EQ(plain.fused_rows, Arch::FusedRows::per_head);
  EXPECT_EQ(plain.num_kv_heads, 2);
  EXPECT_NE(config_refusal_of(json_with(config, "num_kv_heads", 1)).find("num_kv_heads is 1 without multi_query"),
            std::string::npos);
}

TEST(FamilyFalcon, TheNewArchitectureHasGroupsAndOneNormOrTwo) {
  const ConfigJson config = json_with(json_with(falcon(), "new_decoder_architecture", true), "num_kv_heads", 1);
  const ModelConfig two = config_of_json(config);
  EXPECT_EQ(two.architecture.fused_rows, Arch::FusedRows::grouped);
  EXPECT_EQ(two.architecture.num_kv_heads, 1);
  EXPECT_TRUE(two.architecture.parallel && !two.architecture.shared_norm);
  EXPECT_STREQ(two.family->names.mlp_norm, "ln_mlp");
  const ModelConfig one = config_of_json(json_with(config, "num_ln_in_parallel_attn", 1));
  EXPECT_TRUE(one.architecture.parallel && one.architecture.shared_norm);
  EXPECT_STREQ(one.family->names.attention_norm, "input_layernorm");
  EXPECT_EQ(one.architecture.fused_rows, Arch::FusedRows::grouped);
  EXPECT_NE(config_refusal_of(json_with(config, "parallel_attn", false)).find("parallel_attn is false"),
            std::string::npos);
  EXPECT_NE(config_refusal_of(json_with(config, "num_kv_heads", 3)).find("num_kv_heads 3 does not divide"),
            std::string::npos);
}

TEST(FamilyFalcon, MptSaysHowSteepItsBiasesAre) {
  const ConfigJson config = {
      {"model_type", "mpt"}, {"vocab_size", 32}, {"d_model", 16}, {"n_layers", 2}, {"n_heads", 2}};
  const Architecture plain = config_of_json(config).architecture;
  EXPECT_TRUE(plain.alibi && plain.final_norm && plain.tied_embeddings && !plain.norm_bias && !plain.mlp_bias);
  EXPECT_EQ(plain.alibi_size, 0);
  EXPECT_EQ(plain.mlp_width, 64);
  EXPECT_EQ(plain.score_scale, std::nullopt);
  const auto attention = [&](const char* key, const ConfigJson& value) {
    return json_with(config, "attn_config", {{key, value}});
  };
  EXPECT_EQ(config_of_json(attention("alibi_bias_max", 16)).architecture.alibi_size, 16);
  EXPECT_EQ(config_of_json(attention("softmax_scale", 0.25)).architecture.score_scale, 0.25);
  EXPECT_EQ(config_refusal_of(attention("clip_qkv", nullptr)), "opened");
  EXPECT_EQ(config_refusal_of(attention("kv_n_heads", 2)), "opened");
  for (const char* key : {"qk_gn", "prefix_lm", "rope", "attn_uses_sequence_id"}) {
    EXPECT_NE(config_refusal_of(attention(key, true)).find(std::string("attn_config: ") + key + " is true"),
              std::string::npos);
  }
  EXPECT_NE(config_refusal_of(attention("alibi", false)).find("alibi is false"), std::string::npos);
  EXPECT_NE(config_refusal_of(attention("kv_n_heads", 1)).find("kv_n_heads is 1"), std::string::npos);
  EXPECT_NE(config_refusal_of(json_with(config, "norm_type", "rmsnorm")).find("norm_type is \"rmsnorm\""),
            std::string::npos);
  EXPECT_NE(config_refusal_of(json_with(config, "attn_config", 3)).find("attn_config is 3"), std::string::npos);
  EXPECT_NE(config_refusal_of(json_with(config, "ffn_config", {{"ffn_type", "mptgeglu"}})).find("ffn_config: ffn_type"),
            std::string::npos);
}

TEST(FamilyFalcon, MptHoldsAndNormalisesWhatItProjects) {
  const ConfigJson config = {
      {"model_type", "mpt"}, {"vocab_size", 32}, {"d_model", 16}, {"n_layers", 2}, {"n_heads", 2}};
  const auto attention = [&](const ConfigJson& values) { return json_with(config, "attn_config", values); };
  const Architecture plain = config_of_json(config).architecture;
  EXPECT_TRUE(plain.qkv_clip == 0 && !plain.head_norm);
  EXPECT_EQ(config_of_json(attention({{"clip_qkv", 6}})).architecture.qkv_clip, 6);
  EXPECT_NE(config_refusal_of(attention({{"clip_qkv", -6}})).find("attn_config: clip_qkv is -6"), std::string::npos);
  const Architecture normed = config_of_json(attention({{"qk_ln", true}})).architecture;
  EXPECT_TRUE(normed.head_norm && normed.head_norm_whole && normed.head_norm_kind == Arch::Norm::layer);
  EXPECT_EQ(normed.head_norm_eps, 1e-5);
  const Architecture biased = config_of_json(json_with(config, "no_bias", false)).architecture;
  EXPECT_TRUE(biased.qkv_bias && biased.output_bias && biased.mlp_bias && biased.norm_bias);
  EXPECT_NE(config_refusal_of(json_with(attention({{"qk_ln", true}}), "no_bias", false)).find("qk_ln is true"),
            std::string::npos);
  EXPECT_EQ(config_of_json(json_with(config, "logit_scale", "inv_sqrt_d_model")).architecture.logit_scale, 0.25);
  EXPECT_EQ(config_of_json(json_with(config, "logit_scale", 0.5)).architecture.logit_scale, 0.5);
  for (const ConfigJson& scale : {ConfigJson("much"), ConfigJson(0)}) {
    EXPECT_NE(config_refusal_of(json_with(config, "logit_scale", scale)).find("logit_scale is"), std::string::npos);
  }
}

}  // namespace
}  // namespace headscope
