// Rows of the table of families: GPT-2 and its relatives, and models whose MLP stands beside attention.
#include <fmt/format.h>

#include "core/model/config_values.h"
#include "core/model/family_rows.h"

namespace headscope {
namespace {

using Arch = Architecture;

}  // namespace

// https://github.com/huggingface/transformers, models/gpt2; Conv1D keeps [in, out].
Family gpt2() {
  Family row;
  row.fixed.family = "gpt2";
  row.fixed.causal = true;
  row.fixed.position = Arch::Position::learned;
  row.fixed.final_norm = true;
  row.fixed.mlp = Arch::Mlp::plain;
  row.fixed.activation = Arch::Activation::gelu_tanh;
  row.model_types = {"gpt2"};
  row.keys = {.vocab_size = {"vocab_size", 50257},
              .d_model = {"n_embd", 768},
              .num_layers = {"n_layer", 12},
              .num_heads = {"n_head", 12},
              .mlp_width = {"n_inner", {}},
              .max_positions = {"n_positions", 1024},
              .norm_eps = {"layer_norm_epsilon", 1e-5},
              .activation = "activation_function"};
  row.names = {.word = "wte",
               .position = "wpe",
               .layer = "h.",
               .attention_norm = "ln_1",
               .qkv = "attn.c_attn",
               .output = "attn.c_proj",
               .mlp_norm = "ln_2",
               .up = "mlp.c_fc",
               .down = "mlp.c_proj",
               .final_norm = "ln_f",
               .decoder = "lm_head"};
  row.in_out = true;
  row.tied = Family::Tied::yes;
  row.refused = {{"reorder_and_upcast_attn", {"false"}}, {"add_cross_attention", {"false"}}};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    if (!reader.truth("scale_attn_weights", true)) architecture.score_scale = 1.0;
    architecture.scale_by_layer = reader.truth("scale_attn_by_inverse_layer_idx", false);
  };
  return row;
}

// https://github.com/karpathy/nanoGPT and minGPT: GPT-2's names, torch.nn.Linear's [out, in].
Family nanogpt() {
  Family row = gpt2();
  row.fixed.family = "nanogpt";
  row.model_types = {"nanogpt", "mingpt"};
  row.marks = {"block_size", "n_layer", "n_head", "n_embd"};
  // Checkpoints of training code say all sizes.
  row.keys.vocab_size = {"vocab_size", {}};
  row.keys.d_model = {"n_embd", {}};
  row.keys.num_layers = {"n_layer", {}};
  row.keys.num_heads = {"n_head", {}};
  row.keys.mlp_width = {};
  row.keys.max_positions = {"block_size", {}};
  row.keys.norm_eps = {"layer_norm_epsilon", 1e-5};
  row.biases.everywhere = "bias";
  row.in_out = false;
  row.refused = {};
  row.particulars = [](ConfigReader& reader, const Family& family, Architecture& architecture) {
    // nanoGPT since it has `bias` uses the exact gelu; before, and in minGPT, it is the approximation.
    const bool exact = reader.find("bias") != nullptr;
    architecture.activation =
        activation_of(reader, family.keys.activation, exact ? Arch::Activation::gelu : Arch::Activation::gelu_tanh);
  };
  row.tied = Family::Tied::by_file;
  return row;
}

// Headscope's own demos: attention and nothing else.
Family attention_only() {
  Family row;
  row.fixed.family = "attention_only";
  row.fixed.position = Arch::Position::learned;
  row.fixed.final_norm = true;
  row.model_types = {"attention_only"};
  row.keys = {.norm_eps = {"layer_norm_eps", 1e-5}};
  row.names = {.word = "embedding",
               .position = "position",
               .layer = "layers.",
               .attention_norm = "norm",
               .qkv = "qkv",
               .output = "output",
               .final_norm = "norm",
               .decoder = "output"};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    architecture.causal = reader.truth("is_decoder", false);
  };
  return row;
}

// models/gpt_neox (Black et al. 2022): Pythia.
Family gpt_neox() {
  Family row;
  row.fixed.family = "gpt_neox";
  row.fixed.causal = true;
  row.fixed.position = Arch::Position::rotary;
  row.fixed.fused_rows = Arch::FusedRows::per_head;
  row.fixed.final_norm = true;
  row.fixed.mlp = Arch::Mlp::plain;
  row.model_types = {"gpt_neox"};
  row.keys = {.vocab_size = {"vocab_size", 50432},
              .d_model = {"hidden_size", 6144},
              .num_layers = {"num_hidden_layers", 44},
              .num_heads = {"num_attention_heads", 64},
              .mlp_width = {"intermediate_size", 24576},
              .max_positions = {"max_position_embeddings", 2048},
              .norm_eps = {"layer_norm_eps", 1e-5},
              .activation = "hidden_act"};
  row.names = {.word = "embed_in",
               .layer = "layers.",
               .attention_norm = "input_layernorm",
               .qkv = "attention.query_key_value",
               .output = "attention.dense",
               .mlp_norm = "post_attention_layernorm",
               .up = "mlp.dense_h_to_4h",
               .down = "mlp.dense_4h_to_h",
               .final_norm = "final_layer_norm",
               .decoder = "embed_out"};
  row.biases = {.projections = "attention_bias"};
  row.rotary.theta = {"rotary_emb_base", 10000};
  row.rotary.share = {"rotary_pct", 0.25};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    architecture.parallel = reader.truth("use_parallel_residual", true);
  };
  return row;
}

// models/gptj (Wang and Komatsuzaki 2021): one norm for attention and MLP, neighbours turned.
Family gptj() {
  Family row = gpt2();
  row.fixed.family = "gptj";
  row.fixed.position = Arch::Position::rotary;
  row.fixed.parallel = true;
  row.fixed.qkv_bias = row.fixed.output_bias = false;
  row.model_types = {"gptj"};
  row.keys.vocab_size = {"vocab_size", 50400};
  row.keys.d_model = {"n_embd", 4096};
  row.keys.num_layers = {"n_layer", 28};
  row.keys.num_heads = {"n_head", 16};
  row.keys.max_positions = {"n_positions", 2048};
  row.names = {.word = "wte",
               .layer = "h.",
               .attention_norm = "ln_1",
               .query = "attn.q_proj",
               .key = "attn.k_proj",
               .value = "attn.v_proj",
               .output = "attn.out_proj",
               .up = "mlp.fc_in",
               .down = "mlp.fc_out",
               .final_norm = "ln_f",
               .decoder = "lm_head",
               .decoder_bias = "lm_head.bias"};
  row.in_out = false;
  row.tied = Family::Tied::no;
  row.rotary.features = {"rotary_dim", 64};
  row.pairs = RotaryRule::Pairs::neighbours;
  row.refused = {};
  row.particulars = nullptr;
  return row;
}

// models/phi (Gunasekar et al. 2023): one norm for attention and MLP, biases everywhere.
Family phi() {
  Family row;
  row.fixed.family = "phi";
  row.fixed.causal = true;
  row.fixed.position = Arch::Position::rotary;
  row.fixed.parallel = true;
  row.fixed.final_norm = true;
  row.fixed.mlp = Arch::Mlp::plain;
  row.fixed.activation = Arch::Activation::gelu_tanh;
  row.model_types = {"phi"};
  row.keys = {.vocab_size = {"vocab_size", 51200},
              .d_model = {"hidden_size", 2048},
              .num_layers = {"num_hidden_layers", 24},
              .num_heads = {"num_attention_heads", 32},
              .num_kv_heads = {"num_key_value_heads", {}},
              .mlp_width = {"intermediate_size", 8192},
              .max_positions = {"max_position_embeddings", 2048},
              .norm_eps = {"layer_norm_eps", 1e-5},
              .activation = "hidden_act"};
  row.names = {.word = "embed_tokens",
               .layer = "layers.",
               .attention_norm = "input_layernorm",
               .query = "self_attn.q_proj",
               .key = "self_attn.k_proj",
               .value = "self_attn.v_proj",
               .output = "self_attn.dense",
               .up = "mlp.fc1",
               .down = "mlp.fc2",
               .final_norm = "final_layernorm",
               .decoder = "lm_head",
               .decoder_bias = "lm_head.bias"};
  row.rotary.share.otherwise = 0.5;
  row.refused = {{"qk_layernorm", {"false"}}};
  return row;
}

// models/opt (Zhang et al. 2022): positions are counted from 2 on.
Family opt() {
  Family row;
  row.fixed.family = "opt";
  row.fixed.causal = true;
  row.fixed.position = Arch::Position::learned;
  row.fixed.position_offset = 2;
  row.fixed.final_norm = true;
  row.fixed.mlp = Arch::Mlp::plain;
  row.fixed.activation = Arch::Activation::relu;
  row.model_types = {"opt"};
  row.keys = {.vocab_size = {"vocab_size", 50272},
              .d_model = {"hidden_size", 768},
              .num_layers = {"num_hidden_layers", 12},
              .num_heads = {"num_attention_heads", 12},
              .mlp_width = {"ffn_dim", 3072},
              .max_positions = {"max_position_embeddings", 2048},
              .norm_eps = {"", 1e-5},
              .activation = "activation_function"};
  row.names = {.word = "decoder.embed_tokens",
               .position = "decoder.embed_positions",
               .layer = "decoder.layers.",
               .attention_norm = "self_attn_layer_norm",
               .query = "self_attn.q_proj",
               .key = "self_attn.k_proj",
               .value = "self_attn.v_proj",
               .output = "self_attn.out_proj",
               .mlp_norm = "final_layer_norm",
               .up = "fc1",
               .down = "fc2",
               .final_norm = "decoder.final_layer_norm",
               .decoder = "lm_head"};
  row.tied = Family::Tied::yes;
  row.refused = {{"layer_norm_elementwise_affine", {"true"}}};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    const bool before = reader.truth("do_layer_norm_before", true);
    if (!before) architecture.norm_place = Arch::NormPlace::after_sum;
    architecture.final_norm = before && !reader.truth("_remove_final_layer_norm", false);
    architecture.qkv_bias = architecture.output_bias = architecture.mlp_bias = reader.truth("enable_bias", true);
    const std::int64_t width = reader.whole("word_embed_proj_dim", 1, kMostFeatures, architecture.d_model);
    if (width == architecture.d_model) return;
    reader.add_problem(fmt::format("word_embed_proj_dim is {}, which is not implemented; expected hidden_size, {}",
                                   width, architecture.d_model));
  };
  return row;
}

// models/bloom (BigScience 2022): biases of the scores for positions. Its code adds slope(h) j, which the softmax
// cannot tell from the paper's -slope(h) (i - j) of Press et al. 2022.
Family bloom() {
  Family row = gpt_neox();
  row.fixed.family = "bloom";
  row.fixed.position = Arch::Position::none;
  row.fixed.alibi = true;
  row.fixed.embedding_norm = true;
  row.fixed.activation = Arch::Activation::gelu_tanh;
  row.model_types = {"bloom"};
  row.keys = {.vocab_size = {"vocab_size", 250880},
              .d_model = {"n_embed", 64, "hidden_size"},
              .num_layers = {"n_layer", 2, "num_hidden_layers"},
              .num_heads = {"n_head", 8, "num_attention_heads"},
              .mlp_width = {"n_inner", {}},
              .max_positions = {"seq_length", 2048},
              .norm_eps = {"layer_norm_epsilon", 1e-5}};
  row.names = {.word = "word_embeddings",
               .embedding_norm = "word_embeddings_layernorm",
               .layer = "h.",
               .attention_norm = "input_layernorm",
               .qkv = "self_attention.query_key_value",
               .output = "self_attention.dense",
               .mlp_norm = "post_attention_layernorm",
               .up = "mlp.dense_h_to_4h",
               .down = "mlp.dense_4h_to_h",
               .final_norm = "ln_f",
               .decoder = "lm_head"};
  row.biases = {};
  row.tied = Family::Tied::yes;
  row.refused = {{"apply_residual_connection_post_layernorm", {"false"}}};
  row.particulars = nullptr;
  return row;
}

}  // namespace headscope
