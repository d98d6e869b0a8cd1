// Settings of published models that change numbers and are not computed: each is refused by name, and what a model may
// hold in its place is opened. What is read instead of being refused is in families_test.cpp and its neighbours.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/model/read_config.h"

namespace headscope {
namespace {

// A setting that is refused, and the value that is not.
struct Setting {
  const char* type;
  const char* key;
  ConfigJson refused, opened;
};

ConfigJson config_of_type(const std::string& type) {
  if (type == "mpt")
    return {{"model_type", type}, {"vocab_size", 32}, {"d_model", 16}, {"n_layers", 2}, {"n_heads", 2}};
  if (type == "gpt2" || type == "gptj") {
    return {{"model_type", type}, {"vocab_size", 32}, {"n_embd", 16}, {"n_layer", 2}, {"n_head", 2}, {"rotary_dim", 4}};
  }
  if (type == "llama2c") {
    return {{"model_type", type}, {"vocab_size", 32}, {"dim", 16}, {"n_layers", 2}, {"n_heads", 2}, {"max_seq_len", 8}};
  }
  ConfigJson config = sized_json(type.c_str());
  if (type == "falcon") config.erase("num_key_value_heads");
  return config;
}

const Setting kSettings[] = {
    {"gpt2", "reorder_and_upcast_attn", true, false},
    {"gpt2", "add_cross_attention", true, false},
    {"gpt2", "activation_function", "tanh", "gelu_accurate"},
    {"bert", "position_embedding_type", "relative_key", "absolute"},
    {"bert", "position_embedding_type", "relative_key_query", "absolute"},
    {"bert", "is_decoder", true, false},
    {"roberta", "position_embedding_type", "relative_key", "absolute"},
    {"electra", "is_decoder", true, false},
    {"albert", "inner_group_num", 2, 1},
    {"albert", "position_embedding_type", "relative_key_query", "absolute"},
    {"deberta-v2", "conv_kernel_size", 4, 3},  // an even one would leave one token fewer
    {"deberta-v2", "pos_att_type", "c2p|p2p", "c2p|p2c"},
    {"deberta-v2", "type_vocab_size", -1, 0},
    {"modernbert", "rope_scaling", {{"rope_type", "linear"}, {"factor", 2.0}}, nullptr},
    {"bloom", "apply_residual_connection_post_layernorm", true, false},
    {"falcon", "apply_residual_connection_post_layernorm", true, false},
    {"opt", "word_embed_proj_dim", 8, 16},
    {"opt", "layer_norm_elementwise_affine", false, true},
    {"gpt_neox", "rotary_pct", 0, 0.5},
    {"gpt_neox", "rotary_pct", 0.4, 0.5},  // three features of a head
    {"phi", "qk_layernorm", true, false},
    {"stablelm", "qk_layernorm", true, false},
    {"phi3", "lm_head_bias", true, false},
    {"phi3", "attention_bias", true, false},
    {"phi3", "mlp_bias", true, false},
    {"starcoder2", "mlp_type", "gated", "default"},
    {"starcoder2", "norm_type", "rmsnorm", "layer_norm"},
    {"qwen2", "use_mrope", true, false},
    {"gemma", "use_bidirectional_attention", true, false},
    {"gemma2", "use_bidirectional_attention", true, false},
    {"gemma3_text", "use_bidirectional_attention", true, false},
    {"gemma2", "query_pre_attn_scalar", -1, 144},
    {"llama", "hidden_act", "relu2", "swish"},
    {"llama", "rope_scaling", {{"rope_type", "proportional"}, {"factor", 2.0}}, {{"rope_type", "default"}}},
    {"llama2c", "use_scaled_rope", true, false},
    {"mpt", "final_logit_softcapping", 30, nullptr},
    {"mpt", "norm_type", "rmsnorm", "layernorm"},
    {"deepseek_v2", "scoring_func", "sigmoid", "softmax"},
    {"deepseek_v2", "norm_topk_prob", true, false},
    {"deepseek_v2", "topk_method", "noaux_tc", "greedy"},
    {"deepseek_v3", "topk_method", "greedy", "noaux_tc"},
    {"deepseek_v3", "n_group", 7, 8},
    {"deepseek_v3", "topk_group", 9, 4},
    {"deepseek_v3", "qk_rope_head_dim", 7, 8},
    {"deepseek_v3", "num_key_value_heads", 1, 2},
    {"deepseek_v3", "routed_scaling_factor", 0, 1},
};

TEST(FamilyRefusals, ASettingThatIsNotComputedIsNamed) {
  for (const Setting& each : kSettings) {
    const std::string what = std::string(each.type) + ", " + each.key;
    const ConfigJson config = config_of_type(each.type);
    EXPECT_EQ(config_refusal_of(config), "opened") << what;
    EXPECT_EQ(config_refusal_of(json_with(config, each.key, each.opened)), "opened") << what;
    const std::string refusal = config_refusal_of(json_with(config, each.key, each.refused));
    EXPECT_NE(refusal, "opened") << what;
    // A share that leaves an odd number of features is named by what it leaves.
    const bool named = refusal.find(each.key) != refusal.npos ||
                       refusal.find("expected an even number") != refusal.npos ||
                       refusal.find("rope_type is") != refusal.npos || refusal.find("groups of") != refusal.npos;
    EXPECT_TRUE(named) << what << ": " << refusal;
    EXPECT_NE(refusal.find("expected") != refusal.npos || refusal.find("do not fit") != refusal.npos, false)
        << what << ": " << refusal;
  }
}

// Ding et al. 2024, as Phi-3 has it: a text that the original context holds has the short divisors.
TEST(FamilyRefusals, LongRopeEndsWhereTheOriginalContextDoes) {
  const ConfigJson scaling = {
      {"type", "longrope"}, {"short_factor", {1.0, 2.0, 1.0, 4.0}}, {"long_factor", {8.0, 8.0, 8.0, 8.0}}};
  ConfigJson config = json_with(sized_json("phi3"), "max_position_embeddings", 4096);
  config["original_max_position_embeddings"] = 1024;
  config["rope_scaling"] = scaling;
  const Architecture plain = config_of_json(sized_json("phi3")).architecture;
  const Architecture found = config_of_json(config).architecture;
  EXPECT_EQ(found.max_positions, 1024);
  EXPECT_EQ(plain.rotary->inverse_frequencies[3] / 4, found.rotary->inverse_frequencies[3]);
  EXPECT_EQ(plain.rotary->inverse_frequencies[2], found.rotary->inverse_frequencies[2]);
  EXPECT_NEAR(found.rotary->factor, std::sqrt(1.2), 1e-12) << "sqrt(1 + log 4 / log 1024)";
  config["rope_scaling"]["type"] = "su";
  EXPECT_EQ(config_of_json(config).architecture, found);
  config["rope_scaling"]["attention_factor"] = 1.5;
  EXPECT_EQ(config_of_json(config).architecture.rotary->factor, 1.5);
  config["rope_scaling"]["short_factor"] = {1.0, 2.0};
  EXPECT_NE(config_refusal_of(config).find("short_factor is a list, expected a list of 4 numbers"), std::string::npos);
  config["rope_scaling"].erase("short_factor");
  EXPECT_NE(config_refusal_of(config).find("short_factor is missing"), std::string::npos);
}

// Its frequencies change with texts that are longer than the model's positions, and those are refused.
TEST(FamilyRefusals, DynamicScalingIsNoneWithinTheModelsPositions) {
  const ConfigJson config = json_with(sized_json("llama"), "max_position_embeddings", 64);
  const ConfigJson dynamic = {{"type", "dynamic"}, {"factor", 2.0}};
  EXPECT_EQ(config_of_json(json_with(config, "rope_scaling", dynamic)).architecture,
            config_of_json(config).architecture);
  const ConfigJson shorter = json_with(dynamic, "original_max_position_embeddings", 32);
  EXPECT_NE(
      config_refusal_of(json_with(config, "rope_scaling", shorter)).find("original_max_position_embeddings is 32"),
      std::string::npos);
}

TEST(FamilyRefusals, SpellingsOfOneFunction) {
  using Activation = Architecture::Activation;
  const auto of = [](const char* name) {
    return config_of_json(json_with(sized_json("gpt_neox"), "hidden_act", name)).architecture.activation;
  };
  for (const char* name : {"gelu", "gelu_python"}) EXPECT_EQ(of(name), Activation::gelu) << name;
  for (const char* name :
       {"gelu_new", "gelu_fast", "gelu_accurate", "gelu_pytorch_tanh", "gelu_python_tanh", "gelu_tanh"}) {
    EXPECT_EQ(of(name), Activation::gelu_tanh) << name;
  }
  for (const char* name : {"silu", "swish"}) EXPECT_EQ(of(name), Activation::silu) << name;
}

// https://github.com/meta-llama/llama, FeedForward: int(multiplier * int(2 * 4 d / 3)), up to a multiple.
TEST(FamilyRefusals, TheWidthOfAnMlpMayHaveAFactor) {
  const ConfigJson config = json_with(json_with(config_of_type("llama2c"), "multiple_of", 4), "dim", 100);
  EXPECT_EQ(config_of_json(config).architecture.mlp_width, 268);
  EXPECT_EQ(config_of_json(json_with(config, "ffn_dim_multiplier", 1.3)).architecture.mlp_width, 348);
}

}  // namespace
}  // namespace headscope
