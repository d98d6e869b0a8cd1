#include "core/model/gguf_names.h"

#include <algorithm>
#include <array>

namespace headscope {
namespace {

constexpr std::array kArchitectures = {
    GgufArchitecture{"llama", "llama", true, false, "mixtral"},
    GgufArchitecture{"qwen2", "qwen2"},
    GgufArchitecture{"qwen3", "qwen3"},
    GgufArchitecture{"qwen3moe", "qwen3_moe", false, false, "qwen3_moe"},
    GgufArchitecture{"gemma", "gemma", false, true},
    GgufArchitecture{.name = "gemma2", .family = "gemma2", .one_added = true, .wide_scale_layers = 46},
    GgufArchitecture{.name = "gemma3", .family = "gemma3", .one_added = true, .wide_scale_layers = 62},
    GgufArchitecture{"gpt2", "gpt2"},
    GgufArchitecture{"phi2", "phi"},
    GgufArchitecture{"phi3", "phi3"},
    GgufArchitecture{"gpt-oss", "gpt_oss", false, false, "gpt_oss", "post_attention_norm"},
};

// GGUF's name of a module, and the member of a family's names that it stands for. Those of a layer follow "blk.", its
// number and a dot. A family's module that is not in the table has no name in GGUF.
struct ModuleName {
  const char* TensorNames::*ours;
  const char* gguf;
};
constexpr std::array kModules = {
    ModuleName{&TensorNames::word, "token_embd"},
    ModuleName{&TensorNames::position, "position_embd"},
    ModuleName{&TensorNames::token_type, "token_types"},
    ModuleName{&TensorNames::embedding_norm, "token_embd_norm"},
    ModuleName{&TensorNames::layer, "blk."},
    ModuleName{&TensorNames::attention_norm, "attn_norm"},
    ModuleName{&TensorNames::qkv, "attn_qkv"},
    ModuleName{&TensorNames::query, "attn_q"},
    ModuleName{&TensorNames::key, "attn_k"},
    ModuleName{&TensorNames::value, "attn_v"},
    ModuleName{&TensorNames::output, "attn_output"},
    ModuleName{&TensorNames::attention_norm_out, "post_attention_norm"},
    ModuleName{&TensorNames::mlp_norm_out, "post_ffw_norm"},
    ModuleName{&TensorNames::query_norm, "attn_q_norm"},
    ModuleName{&TensorNames::key_norm, "attn_k_norm"},
    ModuleName{&TensorNames::sinks, "attn_sinks.weight"},
    ModuleName{&TensorNames::gate, "ffn_gate"},
    ModuleName{&TensorNames::up, "ffn_up"},
    ModuleName{&TensorNames::gate_up, "ffn_up"},
    ModuleName{&TensorNames::down, "ffn_down"},
    ModuleName{&TensorNames::final_norm, "output_norm"},
    ModuleName{&TensorNames::decoder, "output"},
    ModuleName{&TensorNames::decoder_bias, "output.bias"},
};

// What stands for a size of config.json, without the architecture's name in front of it.
constexpr std::array kSizes = {
    GgufSize{&ConfigKeys::d_model, "embedding_length", true},
    GgufSize{&ConfigKeys::num_layers, "block_count", true},
    GgufSize{&ConfigKeys::num_heads, "attention.head_count", true},
    GgufSize{&ConfigKeys::num_kv_heads, "attention.head_count_kv", false},
    GgufSize{&ConfigKeys::head_dim, "attention.key_length", false},
    GgufSize{&ConfigKeys::mlp_width, "feed_forward_length", true},
    GgufSize{&ConfigKeys::max_positions, "context_length", true},
};

constexpr std::array kOwnKeys = {
    GgufOwnKey{"gemma2", "attn_logit_softcapping", "attn_logit_softcapping"},
    GgufOwnKey{"gemma2", "final_logit_softcapping", "final_logit_softcapping"},
    GgufOwnKey{"gemma2", "attention.sliding_window_pattern", ""},
    GgufOwnKey{"gemma3", "final_logit_softcapping", "final_logit_softcapping"},
    GgufOwnKey{"gemma3", "rope.freq_base_swa", "rope_local_base_freq"},
    GgufOwnKey{"gemma3", "attention.sliding_window_pattern", ""},
    GgufOwnKey{"gpt-oss", "attention.sliding_window_pattern", ""},
    GgufOwnKey{"phi3", "rope.scaling.attn_factor", ""},
};

// Keys of the architecture that change nothing here, or that gguf_model.cpp reads by name; any other key is refused, as
// it may ask for arithmetic that is not here.
constexpr std::array<std::string_view, 19> kOtherKeys = {"vocab_size",
                                                         "attention.layer_norm_rms_epsilon",
                                                         "attention.layer_norm_epsilon",
                                                         "attention.value_length",
                                                         "attention.sliding_window",
                                                         "rope.dimension_count",
                                                         "rope.freq_base",
                                                         "rope.scaling.type",
                                                         "rope.scaling.factor",
                                                         "rope.scaling.original_context_length",
                                                         "rope.scaling.finetuned",
                                                         "rope.scaling.yarn_beta_fast",
                                                         "rope.scaling.yarn_beta_slow",
                                                         "rope.scale_linear",
                                                         "expert_count",
                                                         "expert_used_count",
                                                         "expert_feed_forward_length",
                                                         "attention.causal",
                                                         "tensor_data_layout"};

}  // namespace

std::span<const GgufArchitecture> gguf_architectures() {
  return kArchitectures;
}

std::span<const GgufSize> gguf_sizes() {
  return kSizes;
}

std::span<const GgufOwnKey> gguf_own_keys() {
  return kOwnKeys;
}

bool gguf_knows_key(const GgufArchitecture& row, std::string_view name) {
  const auto is_it = [name](const GgufSize& each) { return each.gguf == name; };
  const auto is_own = [&](const GgufOwnKey& each) { return each.architecture == row.name && each.gguf == name; };
  return std::any_of(kSizes.begin(), kSizes.end(), is_it) || std::any_of(kOwnKeys.begin(), kOwnKeys.end(), is_own) ||
         std::find(kOtherKeys.begin(), kOtherKeys.end(), name) != kOtherKeys.end();
}

Family gguf_family(const Family& family, const GgufArchitecture& row) {
  Family renamed = family;
  renamed.names = {};
  for (const ModuleName& module : kModules) {
    if (*(family.names.*module.ours)) renamed.names.*module.ours = module.gguf;
  }
  if (*family.names.mlp_norm) renamed.names.mlp_norm = row.mlp_norm;
  if (*family.names.router) {
    renamed.names.router = "ffn_gate_inp";
    renamed.names.experts_gate = "ffn_gate_exps";
    renamed.names.experts_up = "ffn_up_exps";
    renamed.names.experts_down = "ffn_down_exps";
  }
  ConfigKeys keys;
  keys.vocab_size = {"vocab_size", {}};
  for (const GgufSize& size : kSizes) keys.*size.ours = {size.gguf, {}};
  if (family.fixed.mlp == Architecture::Mlp::none) keys.mlp_width = {};
  const bool rms = family.fixed.norm == Architecture::Norm::rms;
  keys.norm_eps = {rms ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon", {}};
  renamed.keys = keys;
  renamed.rotary.features = {"rope.dimension_count", {}};
  renamed.biases = {};
  renamed.refused = {};
  renamed.marks = {};
  renamed.in_out = false;
  if (row.one_added) renamed.fixed.norm_plus_one = false;
  return renamed;
}

}  // namespace headscope
