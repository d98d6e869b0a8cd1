// Long because it is one table: every function is the row of a family of models, to be read beside its config.json.
#include "core/model/family.h"

#include <array>

namespace headscope {
namespace {

using Arch = Architecture;

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
  row.refused = {{"scale_attn_by_inverse_layer_idx", {"false"}},
                 {"reorder_and_upcast_attn", {"false"}},
                 {"add_cross_attention", {"false"}}};
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
  return row;
}

// https://github.com/huggingface/transformers, models/bert (Devlin et al. 2018).
Family bert() {
  Family row;
  row.fixed.family = "bert";
  row.fixed.norm_first = false;
  row.fixed.embedding_norm = true;
  row.fixed.position = Arch::Position::learned;
  row.fixed.mlp = Arch::Mlp::plain;
  row.model_types = {"bert"};
  row.keys = {.vocab_size = {"vocab_size", 30522},
              .d_model = {"hidden_size", 768},
              .num_layers = {"num_hidden_layers", 12},
              .num_heads = {"num_attention_heads", 12},
              .mlp_width = {"intermediate_size", 3072},
              .max_positions = {"max_position_embeddings", 512},
              .norm_eps = {"layer_norm_eps", 1e-12},
              .activation = "hidden_act",
              .token_types = {"type_vocab_size", 2}};
  row.names = {.word = "embeddings.word_embeddings",
               .position = "embeddings.position_embeddings",
               .token_type = "embeddings.token_type_embeddings",
               .embedding_norm = "embeddings.LayerNorm",
               .layer = "encoder.layer.",
               .attention_norm = "attention.output.LayerNorm",
               .query = "attention.self.query",
               .key = "attention.self.key",
               .value = "attention.self.value",
               .output = "attention.output.dense",
               .mlp_norm = "output.LayerNorm",
               .up = "intermediate.dense",
               .down = "output.dense",
               .transform = "cls.predictions.transform.dense",
               .transform_norm = "cls.predictions.transform.LayerNorm",
               .decoder = "cls.predictions.decoder",
               .decoder_bias = "cls.predictions.bias"};
  row.tied = Family::Tied::yes;
  row.refused = {{"is_decoder", {"false"}}, {"position_embedding_type", {"absolute"}}};
  return row;
}

// models/roberta (Liu et al. 2019): positions are counted from pad_token_id + 1 on.
Family roberta() {
  Family row = bert();
  row.fixed.family = "roberta";
  row.model_types = {"roberta", "xlm-roberta", "camembert"};
  row.keys.vocab_size = {"vocab_size", 50265};
  row.names.transform = "lm_head.dense";
  row.names.transform_norm = "lm_head.layer_norm";
  row.names.decoder = "lm_head.decoder";
  row.names.decoder_bias = "lm_head.bias";
  return row;
}

// models/distilbert (Sanh et al. 2019).
Family distilbert() {
  Family row = bert();
  row.fixed.family = "distilbert";
  row.model_types = {"distilbert"};
  row.keys = {.vocab_size = {"vocab_size", 30522},
              .d_model = {"dim", 768},
              .num_layers = {"n_layers", 6},
              .num_heads = {"n_heads", 12},
              .mlp_width = {"hidden_dim", 3072},
              .max_positions = {"max_position_embeddings", 512},
              .norm_eps = {"", 1e-12},
              .activation = "activation"};
  row.names = {.word = "embeddings.word_embeddings",
               .position = "embeddings.position_embeddings",
               .embedding_norm = "embeddings.LayerNorm",
               .layer = "transformer.layer.",
               .attention_norm = "sa_layer_norm",
               .query = "attention.q_lin",
               .key = "attention.k_lin",
               .value = "attention.v_lin",
               .output = "attention.out_lin",
               .mlp_norm = "output_layer_norm",
               .up = "ffn.lin1",
               .down = "ffn.lin2",
               .transform = "vocab_transform",
               .transform_norm = "vocab_layer_norm",
               .decoder = "vocab_projector",
               .decoder_bias = "vocab_projector.bias"};
  row.refused = {};
  return row;
}

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
  row.window = WindowKeys{4096, false};
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
  row.window = WindowKeys{4096, true};
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
  row.window = WindowKeys{4096, true};
  return row;
}

// models/gemma, the first generation (Gemma Team 2024).
Family gemma() {
  Family row = llama();
  row.fixed.family = "gemma";
  row.fixed.norm_plus_one = true;
  row.fixed.activation = Arch::Activation::gelu_tanh;
  row.model_types = {"gemma"};
  row.keys.vocab_size.otherwise = 256000;
  row.keys.d_model.otherwise = 3072;
  row.keys.num_layers.otherwise = 28;
  row.keys.num_heads.otherwise = row.keys.num_kv_heads.otherwise = 16;
  row.keys.head_dim.otherwise = 256;
  row.keys.mlp_width.otherwise = 24576;
  row.keys.max_positions.otherwise = 8192;
  row.keys.activation = "";
  row.biases = {.projections = "attention_bias"};
  row.tied = Family::Tied::yes;
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
  return row;
}

}  // namespace

std::span<const Family> families() {
  static const std::array all = {gpt2(),    nanogpt(), bert(),  distilbert(), roberta(), llama(),
                                 mistral(), qwen2(),   qwen3(), gemma(),      llama2c(), attention_only()};
  return all;
}

std::span<const std::string_view> body_prefixes() {
  // "_orig_mod." is torch.compile's, "module." DistributedDataParallel's.
  static constexpr std::array<std::string_view, 11> prefixes = {"",
                                                                "transformer.",
                                                                "model.",
                                                                "bert.",
                                                                "roberta.",
                                                                "distilbert.",
                                                                "_orig_mod.",
                                                                "module.",
                                                                "_orig_mod.transformer.",
                                                                "module.transformer.",
                                                                "module.model."};
  return prefixes;
}

bool is_remade_buffer(std::string_view name) {
  static constexpr std::array<std::string_view, 12> endings = {".attn.bias",
                                                               ".attn.masked_bias",
                                                               "rotary_emb.inv_freq",
                                                               "rope.freqs",
                                                               ".position_ids",
                                                               ".token_type_ids",
                                                               "freqs_cos",
                                                               "freqs_sin",
                                                               "pooler.dense.weight",
                                                               "pooler.dense.bias",
                                                               "cls.seq_relationship.weight",
                                                               "cls.seq_relationship.bias"};
  for (const std::string_view ending : endings) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

}  // namespace headscope
