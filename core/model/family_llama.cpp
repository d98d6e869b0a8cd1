// Rows of the table of families: Llama and its relatives.
#include <algorithm>

#include "core/model/config_values.h"
#include "core/model/family_rows.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

using Arch = Architecture;

}  // namespace

// models/llama (Touvron et al. 2023): Llama 1 to 3, TinyLlama, SmolLM.
Family llama() {
  Family row;
  row.fixed.family = "llama";
  row.fixed.causal = true;
  row.fixed.norm = Arch::Norm::rms;
  row.fixed.position = Arch::Position::rotary;
  row.fixed.final_norm = true;
  row.fixed.mlp = Arch::Mlp::gated;
  row.fixed.activation = Arch::Activation::silu;
  row.fixed.qkv_bias = row.fixed.output_bias = row.fixed.mlp_bias = row.fixed.norm_bias = false;
  row.model_types = {"llama"};
  row.keys = {.vocab_size = {"vocab_size", 32000},
              .d_model = {"hidden_size", 4096},
              .num_layers = {"num_hidden_layers", 32},
              .num_heads = {"num_attention_heads", 32},
              .num_kv_heads = {"num_key_value_heads", {}},
              .head_dim = {"head_dim", {}},
              .mlp_width = {"intermediate_size", 11008},
              .max_positions = {"max_position_embeddings", 2048},
              .norm_eps = {"rms_norm_eps", 1e-6},
              .activation = "hidden_act"};
  row.names = {.word = "embed_tokens",
               .layer = "layers.",
               .attention_norm = "input_layernorm",
               .query = "self_attn.q_proj",
               .key = "self_attn.k_proj",
               .value = "self_attn.v_proj",
               .output = "self_attn.o_proj",
               .mlp_norm = "post_attention_layernorm",
               .gate = "mlp.gate_proj",
               .up = "mlp.up_proj",
               .down = "mlp.down_proj",
               .final_norm = "norm",
               .decoder = "lm_head"};
  row.biases = {.projections = "attention_bias", .mlp = "mlp_bias"};
  return row;
}

// models/mistral (Jiang et al. 2023).
Family mistral() {
  Family row = llama();
  row.fixed.family = "mistral";
  row.model_types = {"mistral"};
  row.keys.num_kv_heads.otherwise = 8;
  row.keys.mlp_width.otherwise = 14336;
  row.keys.max_positions.otherwise = 131072;
  row.biases = {};
  row.window = WindowKeys{.otherwise = 4096};
  return row;
}

// models/qwen2: queries, keys and values have biases, the output has none.
Family qwen2() {
  Family row = llama();
  row.fixed.family = "qwen2";
  row.fixed.qkv_bias = true;
  row.model_types = {"qwen2"};
  row.keys.vocab_size.otherwise = 151936;
  row.keys.num_kv_heads.otherwise = 32;
  row.keys.mlp_width.otherwise = 22016;
  row.keys.max_positions.otherwise = 32768;
  row.biases = {};
  row.window = WindowKeys{.otherwise = 4096, .switched = true, .layers_differ = true};
  row.refused = {{"use_mrope", {"false"}}};
  return row;
}

// models/qwen3: queries and keys are normalised head by head.
Family qwen3() {
  Family row = llama();
  row.fixed.family = "qwen3";
  row.fixed.head_norm = true;
  row.model_types = {"qwen3"};
  row.keys = qwen2().keys;
  row.keys.head_dim.otherwise = 128;
  row.names.query_norm = "self_attn.q_norm";
  row.names.key_norm = "self_attn.k_norm";
  row.biases = {.projections = "attention_bias"};
  row.window = WindowKeys{.otherwise = 4096, .switched = true, .layers_differ = true};
  return row;
}

// models/olmo2 (OLMo Team 2024): norms of results only, queries and keys normalised before they are split.
Family olmo2() {
  Family row = llama();
  row.fixed.family = "olmo2";
  row.fixed.norm_place = Arch::NormPlace::after;
  row.fixed.head_norm = row.fixed.head_norm_whole = true;
  row.model_types = {"olmo2"};
  row.keys.vocab_size.otherwise = 50304;
  row.keys.norm_eps.otherwise = 1e-5;
  row.names.attention_norm = row.names.mlp_norm = "";
  row.names.attention_norm_out = "post_attention_layernorm";
  row.names.mlp_norm_out = "post_feedforward_layernorm";
  row.names.query_norm = "self_attn.q_norm";
  row.names.key_norm = "self_attn.k_norm";
  row.biases = {.projections = "attention_bias"};
  return row;
}

// models/olmo3 (2025): a window in three of four layers, whose positions are not scaled.
Family olmo3() {
  Family row = olmo2();
  row.fixed.family = "olmo3";
  row.model_types = {"olmo3"};
  row.window = WindowKeys{.otherwise = 4096, .layers_differ = true, .full_every = 4};
  row.rotary.window_theta = row.rotary.theta;
  return row;
}

// models/phi3 (Abdin et al. 2024): queries, keys and values, gate and up, are one matrix each.
Family phi3() {
  Family row = mistral();
  row.fixed.family = "phi3";
  row.model_types = {"phi3"};
  row.keys.vocab_size.otherwise = 32064;
  row.keys.d_model.otherwise = 3072;
  row.keys.num_kv_heads.otherwise = {};
  row.keys.head_dim = {};
  row.keys.mlp_width.otherwise = 8192;
  row.keys.max_positions.otherwise = 4096;
  row.keys.norm_eps.otherwise = 1e-5;
  row.names.qkv = "self_attn.qkv_proj";
  row.names.query = row.names.key = row.names.value = "";
  row.names.gate_up = "mlp.gate_up_proj";
  row.names.gate = row.names.up = "";
  row.window = WindowKeys{};
  // Phi-4-mini's own code reads these; the files have none.
  row.refused = {{"attention_bias", {"false"}}, {"mlp_bias", {"false"}}, {"lm_head_bias", {"false"}}};
  return row;
}

// models/stablelm (Bellagente et al. 2024): LayerNorm, a part of each head turned, attention and MLP side by side in
// some.
Family stablelm() {
  Family row = llama();
  row.fixed.family = "stablelm";
  row.fixed.norm = Arch::Norm::layer;
  row.fixed.norm_bias = true;
  row.model_types = {"stablelm"};
  row.keys.vocab_size.otherwise = 50304;
  row.keys.d_model.otherwise = 2560;
  row.keys.num_kv_heads.otherwise = 32;
  row.keys.head_dim = {};
  row.keys.mlp_width.otherwise = 6912;
  row.keys.max_positions.otherwise = 4096;
  row.keys.norm_eps = {"layer_norm_eps", 1e-5};
  row.biases = {};
  row.rotary.share.otherwise = 0.25;
  row.refused = {{"qk_layernorm", {"false"}}};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    architecture.qkv_bias = reader.truth("use_qkv_bias", false);
    architecture.parallel = architecture.shared_norm = reader.truth("use_parallel_residual", false);
  };
  return row;
}

// models/starcoder2 (Lozhkov et al. 2024): LayerNorm, biases, an MLP without a gate.
Family starcoder2() {
  Family row = llama();
  row.fixed.family = "starcoder2";
  row.fixed.norm = Arch::Norm::layer;
  row.fixed.norm_bias = true;
  row.fixed.mlp = Arch::Mlp::plain;
  row.fixed.activation = Arch::Activation::gelu_tanh;
  row.model_types = {"starcoder2"};
  row.keys.vocab_size.otherwise = 49152;
  row.keys.d_model.otherwise = 3072;
  row.keys.num_layers.otherwise = 30;
  row.keys.num_heads.otherwise = 24;
  row.keys.num_kv_heads.otherwise = 2;
  row.keys.head_dim = {};
  row.keys.mlp_width.otherwise = 12288;
  row.keys.max_positions.otherwise = 4096;
  row.keys.norm_eps = {"norm_epsilon", 1e-5};
  row.names.gate = "";
  row.names.up = "mlp.c_fc";
  row.names.down = "mlp.c_proj";
  row.biases = {};
  row.tied = Family::Tied::yes;
  row.window = WindowKeys{};
  row.refused = {{"mlp_type", {"default"}}, {"norm_type", {"layer_norm"}}};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    architecture.qkv_bias = architecture.output_bias = architecture.mlp_bias = reader.truth("use_bias", true);
  };
  return row;
}

// models/cohere (2024): one LayerNorm without bias for attention and MLP, neighbours turned, logits scaled.
Family cohere() {
  Family row = llama();
  row.fixed.family = "cohere";
  row.fixed.norm = Arch::Norm::layer;
  row.fixed.parallel = row.fixed.shared_norm = true;
  row.model_types = {"cohere"};
  row.keys.vocab_size.otherwise = 256000;
  row.keys.d_model.otherwise = 8192;
  row.keys.num_layers.otherwise = 40;
  row.keys.num_heads.otherwise = 64;
  row.keys.head_dim = {};
  row.keys.mlp_width.otherwise = 22528;
  row.keys.max_positions.otherwise = 8192;
  row.keys.norm_eps = {"layer_norm_eps", 1e-5};
  row.biases = {.projections = "attention_bias"};
  row.tied = Family::Tied::yes;
  row.pairs = RotaryRule::Pairs::neighbours;
  row.names.query_norm = "self_attn.q_norm";
  row.names.key_norm = "self_attn.k_norm";
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    architecture.logit_scale = reader.positive("logit_scale", 0.0625);
    // Command R+: every head of queries and keys has a LayerNorm of its own.
    architecture.head_norm = architecture.head_norm_own = reader.truth("use_qk_norm", false);
    architecture.head_norm_kind = Arch::Norm::layer;
  };
  return row;
}

// https://github.com/karpathy/llama2.c, with the names of Meta's own code: neighbours are turned, as in the paper.
Family llama2c() {
  Family row = llama();
  row.fixed.family = "llama2c";
  row.model_types = {"llama2c", "llama2.c"};
  row.marks = {"dim", "n_layers", "n_heads", "max_seq_len"};
  row.keys = {.d_model = {"dim", {}},
              .num_layers = {"n_layers", {}},
              .num_heads = {"n_heads", {}},
              .num_kv_heads = {"n_kv_heads", {}},
              .head_dim = {"head_dim", {}},
              .mlp_width = {"hidden_dim", {}},
              .max_positions = {"max_seq_len", {}},
              .norm_eps = {"norm_eps", 1e-5}};
  row.names = {.word = "tok_embeddings",
               .layer = "layers.",
               .attention_norm = "attention_norm",
               .query = "attention.wq",
               .key = "attention.wk",
               .value = "attention.wv",
               .output = "attention.wo",
               .mlp_norm = "ffn_norm",
               .gate = "feed_forward.w1",
               .up = "feed_forward.w3",
               .down = "feed_forward.w2",
               .final_norm = "norm",
               .decoder = "output"};
  row.biases = {};
  row.tied = Family::Tied::by_file;
  row.pairs = RotaryRule::Pairs::neighbours;
  row.window = WindowKeys{};
  row.refused = {{"use_scaled_rope", {"false"}}, {"moe", {"null"}}};
  row.particulars = [](ConfigReader& reader, const Family& family, Architecture& architecture) {
    if (reader.find(family.keys.mlp_width.key) != nullptr) return;
    // Meta's rule: two thirds of 4 d_model, times a factor and rounded down, rounded up to a multiple.
    const std::int64_t multiple = reader.whole("multiple_of", 1, kMostFeatures, 256);
    const auto thirds = static_cast<double>(8 * architecture.d_model / 3);
    const double width = std::min(thirds * reader.positive("ffn_dim_multiplier", 1), double{kMostFeatures});
    architecture.mlp_width = rounded_up(static_cast<std::int64_t>(width), multiple);
  };
  return row;
}

}  // namespace headscope
