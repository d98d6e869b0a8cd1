// config.json of every family, and values that do not fit.
#include "core/model/model_config.h"

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/core/model/model_files.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

ModelConfig read(const Json& config) {
  return model_config_of(parse_strict_json(config.dump(), "config.json"), "config.json");
}

void expect_refused(const Json& config, const std::vector<std::string>& parts) {
  expect_refusal<Error>([&] { read(config); }, parts);
}

Json with(Json config, const std::string& key, const Json& value) {
  config[key] = value;
  return config;
}

Json without(Json config, const std::string& key) {
  config.erase(key);
  return config;
}

const Json kLlama = {{"model_type", "llama"},  {"vocab_size", 32},         {"hidden_size", 16},
                     {"num_hidden_layers", 2}, {"num_attention_heads", 4}, {"intermediate_size", 24}};
const Json kBert = {{"model_type", "bert"},         {"vocab_size", 32},         {"hidden_size", 16},
                    {"num_hidden_layers", 2},       {"num_attention_heads", 4}, {"intermediate_size", 24},
                    {"max_position_embeddings", 10}};
const Json kGpt2 = {{"model_type", "gpt2"}, {"vocab_size", 32}, {"n_embd", 16},
                    {"n_layer", 2},         {"n_head", 4},      {"n_positions", 10}};

TEST(ModelConfig, SizesThatAreNoSizes) {
  for (const char* key : {"n_embd", "n_layer", "n_head", "n_positions", "vocab_size"}) {
    SCOPED_TRACE(key);
    for (const Json& value : {Json(0), Json(-1), Json(1e30), Json(2.5), Json("16"), Json(true), Json::array({4}),
                              Json(std::int64_t{1} << 62), Json::object()}) {
      SCOPED_TRACE(value.dump());
      expect_refused(with(kGpt2, key, value), {"config.json", key, "expected a whole number from 1"});
    }
    expect_refused(with(kGpt2, key, nullptr), {std::string(key) + " is missing"});
  }
  expect_refused(with(kGpt2, "layer_norm_epsilon", "1e-5"), {"layer_norm_epsilon is \"1e-5\"", "above 0"});
  expect_refused(with(kGpt2, "layer_norm_epsilon", 0), {"layer_norm_epsilon is 0"});
  expect_refused(with(kGpt2, "layer_norm_epsilon", -1e-5), {"layer_norm_epsilon"});
}

TEST(ModelConfig, EndTokensAreIdsOfTheVocabulary) {
  EXPECT_EQ(read(kLlama).end_tokens, std::vector<std::int64_t>());
  EXPECT_EQ(read(with(kLlama, "eos_token_id", 2)).end_tokens, std::vector<std::int64_t>{2});
  EXPECT_EQ(read(with(kLlama, "eos_token_id", Json{31, 0, 32, -1, 2.5, "3", nullptr})).end_tokens,
            (std::vector<std::int64_t>{31, 0}));
  for (const Json& value : {Json(32), Json(-1), Json(1.5), Json("2"), Json(nullptr), Json{{"id", 2}}, Json(true)}) {
    EXPECT_EQ(read(with(kLlama, "eos_token_id", value)).end_tokens, std::vector<std::int64_t>()) << value;
  }
}

// What the configuration classes of Hugging Face Transformers 4.57 take where config.json leaves a key out.
TEST(ModelConfig, WhatIsLeftOutIsTheClassesOwnDefault) {
  struct Expected {
    const char* type;
    std::int64_t vocab, width, layers, heads, kv_heads, head_dim, mlp, positions;
    double eps;
  };
  for (const Expected& e :
       std::initializer_list<Expected>{{"gpt2", 50257, 768, 12, 12, 12, 64, 3072, 1024, 1e-5},
                                       {"bert", 30522, 768, 12, 12, 12, 64, 3072, 512, 1e-12},
                                       {"roberta", 50265, 768, 12, 12, 12, 64, 3072, 510, 1e-12},
                                       {"distilbert", 30522, 768, 6, 12, 12, 64, 3072, 512, 1e-12},
                                       {"llama", 32000, 4096, 32, 32, 32, 128, 11008, 2048, 1e-6},
                                       {"mistral", 32000, 4096, 32, 32, 8, 128, 14336, 131072, 1e-6},
                                       {"qwen2", 151936, 4096, 32, 32, 32, 128, 22016, 32768, 1e-6},
                                       {"qwen3", 151936, 4096, 32, 32, 32, 128, 22016, 32768, 1e-6},
                                       {"gemma", 256000, 3072, 28, 16, 16, 256, 24576, 8192, 1e-6}}) {
    SCOPED_TRACE(e.type);
    const Architecture found = read(Json::object({{"model_type", e.type}})).architecture;
    EXPECT_EQ(found.vocab_size, e.vocab);
    EXPECT_EQ(found.d_model, e.width);
    EXPECT_EQ(found.num_layers, e.layers);
    EXPECT_EQ(found.num_heads, e.heads);
    EXPECT_EQ(found.num_kv_heads, e.kv_heads);
    EXPECT_EQ(found.head_dim, e.head_dim);
    EXPECT_EQ(found.mlp_width, e.mlp);
    EXPECT_EQ(found.max_positions, e.positions);
    EXPECT_EQ(found.norm_eps, e.eps);
  }
  EXPECT_EQ(read(Json::object({{"model_type", "bert"}})).architecture.token_types, 2);
  EXPECT_EQ(read(Json::object({{"model_type", "bert"}})).architecture.activation, Architecture::Activation::gelu);
  EXPECT_EQ(read(Json::object({{"model_type", "gpt2"}})).architecture.activation, Architecture::Activation::gelu_tanh);
  EXPECT_EQ(read(Json::object({{"model_type", "mistral"}})).architecture.sliding_window, 4096);
  // The width of an MLP is the class' own, whatever the model's width; GPT-2's follows it.
  EXPECT_EQ(read(without(kBert, "intermediate_size")).architecture.mlp_width, 3072);
  EXPECT_EQ(read(kGpt2).architecture.mlp_width, 64);
  EXPECT_EQ(read(with(with(kLlama, "model_type", "mistral"), "num_key_value_heads", nullptr)).architecture.num_kv_heads,
            4)
      << "null is as many as heads";
  expect_refused(Json::object({{"block_size", 8}, {"n_layer", 2}, {"n_head", 2}, {"n_embd", 8}}),
                 {"vocab_size is missing"});
}

TEST(ModelConfig, AllThatDoesNotFitIsSaidAtOnce) {
  expect_refused(
      with(with(with(kGpt2, "n_layer", 0), "n_head", "4"), "activation_function", "mish"),
      {"values of a gpt2 model do not fit", "n_layer is 0", "n_head is \"4\"", "activation_function is \"mish\""});
}

TEST(ModelConfig, HeadsThatDoNotDivide) {
  expect_refused(with(kGpt2, "n_head", 3), {"n_embd is 16, which n_head 3 does not divide"});
  expect_refused(with(kLlama, "num_key_value_heads", 3),
                 {"num_attention_heads is 4, which num_key_value_heads 3 does not divide"});
  expect_refused(with(kLlama, "head_dim", 3), {"heads have 3 features", "expected an even number"});
  EXPECT_EQ(read(with(kLlama, "head_dim", 6)).architecture.head_dim, 6);
  EXPECT_EQ(read(with(kLlama, "num_key_value_heads", 2)).architecture.num_kv_heads, 2);
  EXPECT_EQ(read(kLlama).architecture.num_kv_heads, 4);
  expect_refused(with(with(kLlama, "head_dim", 16'000'000), "num_attention_heads", 16'000'000), {"more than"});
}

TEST(ModelConfig, UnknownModels) {
  expect_refused(with(kLlama, "model_type", "mamba"), {"model_type is \"mamba\"", "info --families lists them"});
  expect_refused(with(kLlama, "model_type", "qwen2_moe"),
                 {"model_type is \"qwen2_moe\", which is not implemented", "nearest family is qwen3_moe", "expert"});
  expect_refused(with(kLlama, "model_type", "wav2vec2"), {"wav2vec2", "the nearest family is whisper", "samples"});
  expect_refused(without(kLlama, "model_type"), {"model_type is missing"});
  expect_refused(with(kLlama, "model_type", 3), {"model_type is missing"});
  expect_refused(Json::array(), {"found a list", "expected an object"});
}

TEST(ModelConfig, SwitchesThatAreNotImplementedAreNamed) {
  const Architecture by_layer = read(with(kGpt2, "scale_attn_by_inverse_layer_idx", true)).architecture;
  EXPECT_EQ(by_layer.score_scale_of(0), 0.5) << "heads of 4 features";
  EXPECT_EQ(by_layer.score_scale_of(1), 0.25);
  EXPECT_EQ(read(kGpt2).architecture.score_scale_of(1), std::nullopt);
  expect_refused(with(kGpt2, "reorder_and_upcast_attn", true), {"reorder_and_upcast_attn is true"});
  EXPECT_EQ(read(with(kGpt2, "scale_attn_by_inverse_layer_idx", false)).architecture.score_scale, std::nullopt);
  EXPECT_EQ(read(with(kGpt2, "scale_attn_weights", false)).architecture.score_scale, 1.0);
  expect_refused(with(kBert, "position_embedding_type", "relative_key"),
                 {"position_embedding_type is \"relative_key\"", "expected absolute"});
  expect_refused(with(kBert, "is_decoder", true), {"is_decoder is true"});
  expect_refused(with(kLlama, "quantization_config", {{"bits", 4}}), {"quantization_config", "F32, F16 or BF16"});
  expect_refused(with(kLlama, "tie_word_embeddings", "yes"),
                 {"tie_word_embeddings is \"yes\", expected true or false"});
}

TEST(ModelConfig, RotaryFrequencies) {
  const RotaryRule plain = *read(with(kLlama, "head_dim", 8)).architecture.rotary;
  EXPECT_EQ(plain.features, 8);
  EXPECT_EQ(plain.pairs, RotaryRule::Pairs::halves);
  ASSERT_EQ(plain.inverse_frequencies.size(), 4u);
  for (int p = 0; p < 4; ++p) {
    EXPECT_TRUE(std::abs(plain.inverse_frequencies[p] - std::pow(10.0, -p)) < 1e-7) << p;
    EXPECT_EQ(plain.inverse_frequencies[p], static_cast<float>(plain.inverse_frequencies[p])) << "a float32";
  }
  const RotaryRule linear =
      *read(with(with(kLlama, "head_dim", 8), "rope_scaling", {{"type", "linear"}, {"factor", 4}})).architecture.rotary;
  EXPECT_EQ(linear.inverse_frequencies[0], 0.25);
  const RotaryRule partial = *read(with(with(kLlama, "head_dim", 8), "partial_rotary_factor", 0.5)).architecture.rotary;
  EXPECT_EQ(partial.features, 4);
  EXPECT_TRUE(std::abs(partial.inverse_frequencies[1] - 0.01) < 1e-8);
  // Older and newer spellings agree.
  const Json scaling = {{"rope_type", "llama3"},
                        {"factor", 8.0},
                        {"low_freq_factor", 1.0},
                        {"high_freq_factor", 4.0},
                        {"original_max_position_embeddings", 8192}};
  Json parameters = scaling;
  parameters["rope_theta"] = 500000.0;
  EXPECT_EQ(*read(with(with(kLlama, "rope_scaling", scaling), "rope_theta", 500000.0)).architecture.rotary,
            *read(with(kLlama, "rope_parameters", parameters)).architecture.rotary);
}

TEST(ModelConfig, RotaryScalingsThatAreRefused) {
  expect_refused(with(kLlama, "rope_scaling", {{"type", "mrope"}, {"factor", 2.0}}),
                 {"rope_type is \"mrope\"", "expected default, linear, llama3, yarn, longrope or dynamic"});
  expect_refused(with(kLlama, "rope_scaling", {{"type", "linear"}}), {"rope_scaling: factor is missing"});
  expect_refused(with(kLlama, "rope_scaling", 3), {"rope_scaling is 3, expected an object"});
  expect_refused(with(kLlama, "rope_scaling", {{"factor", 4.0}}), {"rope_scaling: has factor and no rope_type"});
  expect_refused(with(kLlama, "rope_parameters", {{"rope_theta", 1e4}, {"low_freq_factor", 1.0}}),
                 {"rope_parameters: has low_freq_factor and no rope_type"});
  expect_refused(with(kLlama, "rope_theta", -1), {"rope_theta is -1"});
  expect_refused(with(kLlama, "rope_scaling",
                      {{"rope_type", "llama3"},
                       {"factor", 8.0},
                       {"low_freq_factor", 4.0},
                       {"high_freq_factor", 4.0},
                       {"original_max_position_embeddings", 8192}}),
                 {"high_freq_factor is 4"});
  expect_refused(with(kLlama, "partial_rotary_factor", 1.5), {"partial_rotary_factor", "at most 1"});
}

TEST(ModelConfig, SlidingWindows) {
  const Json grouped = with(kLlama, "num_key_value_heads", 2);
  const Json mistral = with(grouped, "model_type", "mistral");
  EXPECT_EQ(read(mistral).architecture.sliding_window, 4096);
  EXPECT_EQ(read(with(mistral, "sliding_window", 7)).architecture.sliding_window, 7);
  EXPECT_EQ(read(with(mistral, "sliding_window", nullptr)).architecture.sliding_window, std::nullopt);
  expect_refused(with(mistral, "sliding_window", 0), {"sliding_window is 0"});
  const Json qwen = with(with(grouped, "model_type", "qwen2"), "sliding_window", 5);
  EXPECT_EQ(read(qwen).architecture.sliding_window, std::nullopt);
  const Json switched = with(qwen, "use_sliding_window", true);
  EXPECT_EQ(read(with(switched, "max_window_layers", 2)).architecture.sliding_window, std::nullopt);
  EXPECT_EQ(read(with(switched, "max_window_layers", 0)).architecture.sliding_window, 5);
  const Architecture mixed = read(with(switched, "max_window_layers", 1)).architecture;
  EXPECT_FALSE(mixed.has_window(0));
  EXPECT_TRUE(mixed.has_window(1));
  const Architecture listed = read(with(switched, "layer_types", {"sliding_attention", "full_attention"})).architecture;
  EXPECT_TRUE(listed.has_window(0));
  EXPECT_FALSE(listed.has_window(1));
  expect_refused(with(switched, "layer_types", {"sliding_attention"}), {"layer_types is a list, expected a list of 2"});
  expect_refused(with(switched, "layer_types", {"sliding_attention", "chunked_attention"}),
                 {"layer_types has \"chunked_attention\"", "not implemented"});
  expect_refused(with(mistral, "layer_types", {"sliding_attention", "full_attention"}), {"1 of 2 layers"});
  EXPECT_EQ(read(kLlama).architecture.sliding_window, std::nullopt);
}

TEST(ModelConfig, Particulars) {
  const Json roberta = with(kBert, "model_type", "xlm-roberta");
  EXPECT_EQ(read(roberta).architecture.position_offset, 2);
  EXPECT_EQ(read(roberta).architecture.max_positions, 8);
  EXPECT_EQ(read(with(roberta, "pad_token_id", 0)).architecture.position_offset, 1);
  expect_refused(with(roberta, "max_position_embeddings", 2), {"max_position_embeddings is 2"});

  const Json gemma = with(with(kLlama, "num_key_value_heads", 2), "model_type", "gemma");
  using Activation = Architecture::Activation;
  EXPECT_EQ(read(gemma).architecture.activation, Activation::gelu_tanh);
  EXPECT_EQ(read(with(gemma, "hidden_act", "gelu")).architecture.activation, Activation::gelu_tanh);
  EXPECT_EQ(read(with(gemma, "hidden_activation", "gelu")).architecture.activation, Activation::gelu);
  EXPECT_EQ(read(with(gemma, "hidden_size", 24)).architecture.embedding_scale, std::sqrt(24.0f));
  EXPECT_TRUE(read(gemma).architecture.norm_plus_one);
  EXPECT_TRUE(read(gemma).architecture.tied_embeddings);

  const Json nanogpt = {{"vocab_size", 32}, {"n_embd", 16}, {"n_layer", 2}, {"n_head", 4}, {"block_size", 10}};
  EXPECT_EQ(read(nanogpt).architecture.activation, Activation::gelu_tanh);
  EXPECT_EQ(read(with(nanogpt, "bias", false)).architecture.activation, Activation::gelu);
  EXPECT_EQ(read(with(with(nanogpt, "bias", false), "activation_function", "gelu_new")).architecture.activation,
            Activation::gelu_tanh);
  EXPECT_FALSE(read(with(nanogpt, "bias", false)).architecture.norm_bias);
  EXPECT_TRUE(read(with(nanogpt, "bias", true)).architecture.mlp_bias);

  const Json karpathy = {{"dim", 288},       {"n_layers", 6},     {"n_heads", 6},      {"n_kv_heads", 6},
                         {"vocab_size", 32}, {"multiple_of", 32}, {"max_seq_len", 256}};
  EXPECT_EQ(read(karpathy).architecture.mlp_width, 768);  // stories15M's
  EXPECT_EQ(read(with(karpathy, "hidden_dim", 100)).architecture.mlp_width, 100);
  EXPECT_EQ(read(karpathy).architecture.rotary->pairs, RotaryRule::Pairs::neighbours);
  EXPECT_EQ(read(with(kLlama, "attention_bias", true)).architecture.output_bias, true);
  const Json qwen = with(with(kLlama, "num_key_value_heads", 2), "model_type", "qwen2");
  EXPECT_EQ(read(qwen).architecture.output_bias, false);
  EXPECT_EQ(read(qwen).architecture.qkv_bias, true);
}

}  // namespace
}  // namespace headscope
