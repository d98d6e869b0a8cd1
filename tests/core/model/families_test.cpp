// What single families read from config.json in their own way; their arithmetic is in tests/golden/models.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/model/model_config.h"

namespace headscope {
namespace {

using Json = nlohmann::json;
using Arch = Architecture;

ModelConfig read(const Json& config) {
  return model_config_of(parse_strict_json(config.dump(), "config.json"), "config.json");
}

std::string families_refusal_of(const Json& config) {
  try {
    read(config);
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

Json with(Json config, const std::string& key, const Json& value) {
  config[key] = value;
  return config;
}

// Sizes by the keys that most families have.
Json sized(const char* type, std::int64_t layers = 4) {
  return {{"model_type", type},          {"vocab_size", 32},         {"hidden_size", 16},
          {"num_hidden_layers", layers}, {"num_attention_heads", 2}, {"num_key_value_heads", 2},
          {"intermediate_size", 24}};
}

TEST(Families, GptNeoXTurnsAShareOfEachHead) {
  const Json neox = sized("gpt_neox");
  const Architecture plain = read(neox).architecture;
  EXPECT_TRUE(plain.parallel);
  EXPECT_EQ(plain.fused_rows, Arch::FusedRows::per_head);
  EXPECT_EQ(plain.activation, Arch::Activation::gelu);
  EXPECT_EQ(plain.rotary->features, 2) << "a quarter of 8";
  EXPECT_EQ(read(with(neox, "rotary_pct", 0.6)).architecture.rotary->features, 4) << "4.8, rounded down";
  EXPECT_EQ(read(with(neox, "rotary_emb_base", 100)).architecture.rotary->inverse_frequencies,
            (std::vector<double>{1.0}));
  EXPECT_FALSE(read(with(neox, "use_parallel_residual", false)).architecture.parallel);
  EXPECT_FALSE(read(with(neox, "attention_bias", false)).architecture.qkv_bias);
  EXPECT_NE(families_refusal_of(with(neox, "hidden_act", "mish")).find("hidden_act is \"mish\""), std::string::npos);
  EXPECT_NE(families_refusal_of(with(neox, "use_parallel_residual", 1)).find("use_parallel_residual is 1"),
            std::string::npos);
}

TEST(Families, Gemma2CapsAndNormalisesAround) {
  const Json gemma = sized("gemma2");
  const Architecture plain = read(gemma).architecture;
  EXPECT_EQ(plain.norm_place, Arch::NormPlace::around);
  EXPECT_EQ(plain.score_softcap, 50.0);
  EXPECT_EQ(plain.logit_softcap, 30.0);
  EXPECT_EQ(plain.score_scale, 0.0625) << "1 / root of 256, whatever the heads are";
  EXPECT_TRUE(plain.has_window(0) && !plain.has_window(1) && plain.has_window(2));
  EXPECT_EQ(plain.sliding_window, 4096);
  EXPECT_TRUE(plain.norm_plus_one && plain.tied_embeddings);
  EXPECT_EQ(plain.embedding_scale, 4.0);
  EXPECT_EQ(read(with(gemma, "attn_logit_softcapping", nullptr)).architecture.score_softcap, std::nullopt);
  EXPECT_EQ(read(with(gemma, "final_logit_softcapping", 7.5)).architecture.logit_softcap, 7.5);
  EXPECT_NE(families_refusal_of(with(gemma, "attn_logit_softcapping", -1)).find("attn_logit_softcapping is -1"),
            std::string::npos);
  EXPECT_NE(
      families_refusal_of(with(gemma, "use_bidirectional_attention", true)).find("use_bidirectional_attention is true"),
      std::string::npos);
}

TEST(Families, Gemma3HasTwoBasesOfRotaryPositions) {
  const Json gemma = with(sized("gemma3_text", 7), "head_dim", 8);
  const Architecture plain = read(gemma).architecture;
  EXPECT_TRUE(plain.has_window(4) && !plain.has_window(5) && plain.has_window(6));
  EXPECT_EQ(plain.score_softcap, std::nullopt);
  EXPECT_TRUE(plain.head_norm && !plain.head_norm_whole);
  EXPECT_TRUE(std::abs(plain.rotary_of(0)->inverse_frequencies[1] - 0.1) < 1e-7);
  EXPECT_TRUE(std::abs(plain.rotary_of(5)->inverse_frequencies[1] - std::pow(1e6, -0.25)) < 1e-7);
  const Architecture scaled = read(with(gemma, "rope_scaling", {{"rope_type", "linear"}, {"factor", 8}})).architecture;
  EXPECT_EQ(scaled.rotary_of(0)->inverse_frequencies[0], 1.0) << "layers with a window are not scaled";
  EXPECT_EQ(scaled.rotary_of(5)->inverse_frequencies[0], 0.125);
  // As newer versions write it.
  const Json nested = {{"full_attention", {{"rope_type", "linear"}, {"factor", 8.0}, {"rope_theta", 1e6}}},
                       {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 1e4}}}};
  const Architecture newer = read(with(gemma, "rope_parameters", nested)).architecture;
  EXPECT_EQ(*newer.rotary, *scaled.rotary);
  EXPECT_EQ(*newer.window_rotary, *scaled.window_rotary);
  EXPECT_EQ(read({{"model_type", "gemma3"}, {"text_config", gemma}}).architecture, plain);
}

TEST(Families, Olmo2NormalisesResultsAndWholeQueries) {
  const Architecture plain = read(sized("olmo2")).architecture;
  EXPECT_EQ(plain.norm_place, Arch::NormPlace::after);
  EXPECT_TRUE(plain.head_norm && plain.head_norm_whole);
  EXPECT_EQ(plain.head_norm_eps, 1e-5);
  EXPECT_FALSE(plain.sliding_window);
  const Json olmo3 = with(sized("olmo3"), "rope_scaling", {{"rope_type", "linear"}, {"factor", 2}});
  const Architecture windowed = read(olmo3).architecture;
  EXPECT_TRUE(windowed.has_window(2) && !windowed.has_window(3));
  EXPECT_EQ(windowed.rotary_of(3)->inverse_frequencies[0], 0.5);
  EXPECT_EQ(windowed.rotary_of(2)->inverse_frequencies[0], 1.0);
  const Json flat = {{"rope_type", "linear"}, {"factor", 2.0}, {"rope_theta", 100.0}};
  const Architecture newer = read(with(sized("olmo3"), "rope_parameters", flat)).architecture;
  EXPECT_TRUE(std::abs(newer.rotary_of(2)->inverse_frequencies[2] - 0.1) < 1e-7) << "the same base, not scaled";
  EXPECT_TRUE(std::abs(newer.rotary_of(3)->inverse_frequencies[2] - 0.05) < 1e-7);
}

TEST(Families, PhiAndGptJShareOneNorm) {
  const Json phi = sized("phi");
  EXPECT_TRUE(read(phi).architecture.parallel);
  EXPECT_EQ(read(phi).architecture.rotary->features, 4) << "a half of 8";
  EXPECT_EQ(read(phi).architecture.activation, Arch::Activation::gelu_tanh);
  EXPECT_NE(families_refusal_of(with(phi, "qk_layernorm", true)).find("qk_layernorm is true"), std::string::npos);
  const Json gptj = {{"model_type", "gptj"}, {"vocab_size", 32}, {"n_embd", 16},
                     {"n_layer", 2},         {"n_head", 2},      {"rotary_dim", 4}};
  EXPECT_EQ(read(gptj).architecture.rotary->features, 4);
  EXPECT_EQ(read(gptj).architecture.rotary->pairs, RotaryRule::Pairs::neighbours);
  EXPECT_EQ(read(gptj).architecture.mlp_width, 64);
  EXPECT_FALSE(read(gptj).architecture.qkv_bias);
  EXPECT_EQ(read(with(gptj, "rotary_dim", nullptr)).architecture.rotary->features, 8);
}

TEST(Families, OptCountsPositionsFromTwoOn) {
  const Json opt = sized("opt");
  const Architecture plain = read(opt).architecture;
  EXPECT_EQ(plain.position_offset, 2);
  EXPECT_EQ(plain.max_positions, 2048);
  EXPECT_EQ(plain.activation, Arch::Activation::relu);
  EXPECT_TRUE(plain.final_norm && plain.tied_embeddings);
  const Architecture after = read(with(opt, "do_layer_norm_before", false)).architecture;
  EXPECT_EQ(after.norm_place, Arch::NormPlace::after_sum);
  EXPECT_FALSE(after.final_norm);
  EXPECT_FALSE(read(with(opt, "_remove_final_layer_norm", true)).architecture.final_norm);
  EXPECT_FALSE(read(with(opt, "enable_bias", false)).architecture.mlp_bias);
  EXPECT_EQ(families_refusal_of(with(opt, "word_embed_proj_dim", 16)), "opened");
  EXPECT_NE(families_refusal_of(with(opt, "word_embed_proj_dim", 8)).find("word_embed_proj_dim is 8"),
            std::string::npos);
  EXPECT_NE(families_refusal_of(with(opt, "layer_norm_elementwise_affine", false))
                .find("layer_norm_elementwise_affine is false"),
            std::string::npos);
}

TEST(Families, BloomAddsToScoresByOlderAndNewerKeys) {
  const Json older = {{"model_type", "bloom"}, {"vocab_size", 32}, {"n_embed", 20}, {"n_layer", 3}, {"n_head", 5}};
  const Json newer = {{"model_type", "bloom"},
                      {"vocab_size", 32},
                      {"hidden_size", 20},
                      {"num_hidden_layers", 3},
                      {"num_attention_heads", 5}};
  const Architecture plain = read(older).architecture;
  EXPECT_EQ(plain, read(newer).architecture);
  EXPECT_TRUE(plain.alibi && plain.embedding_norm);
  EXPECT_EQ(plain.num_layers, 3);
  EXPECT_EQ(plain.fused_rows, Arch::FusedRows::per_head);
  EXPECT_NE(
      families_refusal_of(with(older, "apply_residual_connection_post_layernorm", true)).find("post_layernorm is true"),
      std::string::npos);
}

TEST(Families, TheOthersSayWhatTheyAre) {
  const Architecture cohere = read(sized("cohere")).architecture;
  EXPECT_EQ(cohere.logit_scale, 0.0625);
  EXPECT_TRUE(cohere.parallel && cohere.shared_norm && !cohere.norm_bias);
  EXPECT_EQ(cohere.rotary->pairs, RotaryRule::Pairs::neighbours);
  EXPECT_FALSE(cohere.head_norm);
  const Architecture normed = read(with(sized("cohere"), "use_qk_norm", true)).architecture;
  EXPECT_TRUE(normed.head_norm && normed.head_norm_own && normed.head_norm_kind == Arch::Norm::layer);
  EXPECT_EQ(normed.head_norm_eps, 1e-5);
  const Architecture stablelm = read(with(sized("stablelm"), "use_parallel_residual", true)).architecture;
  EXPECT_TRUE(stablelm.parallel && stablelm.shared_norm && stablelm.norm_bias && !stablelm.qkv_bias);
  EXPECT_EQ(stablelm.rotary->features, 2);
  EXPECT_TRUE(read(with(sized("stablelm"), "use_qkv_bias", true)).architecture.qkv_bias);
  const Architecture starcoder = read(sized("starcoder2")).architecture;
  EXPECT_TRUE(starcoder.qkv_bias && starcoder.output_bias && starcoder.mlp_bias);
  EXPECT_FALSE(starcoder.sliding_window);
  EXPECT_EQ(read(with(sized("starcoder2"), "sliding_window", 9)).architecture.sliding_window, 9);
  const Architecture phi3 = read(with(sized("phi3"), "sliding_window", 5)).architecture;
  EXPECT_EQ(phi3.sliding_window, 5);
  EXPECT_FALSE(read(sized("phi3")).architecture.sliding_window);
}

TEST(Families, DebertasConvolutionIsThatOfItsConfiguration) {
  const auto deberta = [](const char* key, const Json& value) {
    return read(with(with(sized("deberta-v2"), "conv_kernel_size", 3), key, value)).architecture;
  };
  EXPECT_FALSE(read(sized("deberta-v2")).architecture.convolution);
  const Architecture plain = deberta("conv_kernel_size", 5);
  ASSERT_TRUE(plain.convolution);
  EXPECT_EQ(plain.convolution->taps, 5);
  EXPECT_EQ(plain.convolution->groups, 1);
  EXPECT_FALSE(plain.convolution->activation) << "tanh is what a configuration without a word has";
  EXPECT_EQ(deberta("conv_act", "gelu").convolution->activation, Architecture::Activation::gelu);
  EXPECT_EQ(deberta("conv_groups", 4).convolution->groups, 4);
  EXPECT_THROW(deberta("conv_groups", 3), Error);
  EXPECT_THROW(deberta("conv_act", "mish"), Error);
  const Architecture narrow = deberta("embedding_size", 8);
  EXPECT_EQ(narrow.word_width(), 8);
  EXPECT_TRUE(narrow.projected_first);
  EXPECT_EQ(deberta("embedding_size", 16).embedding_width, 0);
}

TEST(Families, MixturesSayWhichLayersHaveExperts) {
  const Architecture mixtral = read(with(sized("mixtral"), "sliding_window", nullptr)).architecture;
  EXPECT_EQ(mixtral.mixture->experts, 8);
  EXPECT_EQ(mixtral.mixture->chosen, 2);
  EXPECT_EQ(mixtral.mixture->width, 24);
  EXPECT_FALSE(mixtral.sliding_window);
  EXPECT_NE(families_refusal_of(with(sized("mixtral"), "num_experts_per_tok", 9)).find("num_experts_per_tok is 9"),
            std::string::npos);

  Json qwen = with(with(sized("qwen3_moe"), "num_experts", 4), "num_experts_per_tok", 2);
  EXPECT_FALSE(read(qwen).architecture.mixture->renormalised);
  EXPECT_EQ(read(qwen).architecture.mixture->width, 768);
  EXPECT_TRUE(read(qwen).architecture.has_experts(0));
  qwen["decoder_sparse_step"] = 2;
  qwen["mlp_only_layers"] = {3};
  const Architecture some = read(qwen).architecture;
  EXPECT_FALSE(some.has_experts(0));
  EXPECT_TRUE(some.has_experts(1));
  EXPECT_FALSE(some.has_experts(3));
  EXPECT_NE(families_refusal_of(with(qwen, "mlp_only_layers", "all")).find("expected a list of layers"),
            std::string::npos);
}

TEST(Families, GptOssHasSinksWindowsAndYarn) {
  const Json yarn = {{"rope_type", "yarn"}, {"factor", 32.0}, {"original_max_position_embeddings", 4096}};
  const Json oss = with(with(sized("gpt_oss"), "rope_scaling", yarn), "head_dim", 8);
  const Architecture model = read(oss).architecture;
  EXPECT_TRUE(model.sinks && model.qkv_bias && model.output_bias);
  EXPECT_TRUE(model.has_window(0) && !model.has_window(1));
  EXPECT_EQ(model.mixture->clamp->limit, 7);
  EXPECT_TRUE(std::abs(model.rotary->factor - (0.1 * std::log(32.0) + 1)) <= 1e-12);
  EXPECT_EQ(model.rotary->inverse_frequencies.front(), 1.0);
  EXPECT_TRUE(std::abs(model.rotary->inverse_frequencies.back() * 32 * std::pow(150000, 0.75) - 1) <= 1e-6);
  EXPECT_NE(families_refusal_of(sized("gpt_oss")).find("rope_scaling is missing"), std::string::npos);
  EXPECT_EQ(read(with(oss, "rope_scaling", nullptr)).architecture.rotary->factor, 1);
  EXPECT_NE(families_refusal_of(with(oss, "quantization_config", {{"quant_method", "mxfp4"}})).find("MXFP4"),
            std::string::npos);
}

}  // namespace
}  // namespace headscope
