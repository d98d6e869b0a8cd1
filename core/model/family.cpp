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
  row.keys = {.d_model = {"n_embd", {}},
              .num_layers = {"n_layer", {}},
              .num_heads = {"n_head", {}},
              .mlp_width = "n_inner",
              .max_positions = {"n_positions", {}},
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
  row.tied = true;
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
  row.keys.mlp_width = "";
  row.keys.max_positions = {"block_size", {}};
  row.keys.norm_eps = {"layer_norm_epsilon", 1e-5};
  row.biases.everywhere = "bias";
  row.in_out = false;
  row.refused = {};
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

}  // namespace

std::span<const Family> families() {
  static const std::array all = {nanogpt(), gpt2(), attention_only()};
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
