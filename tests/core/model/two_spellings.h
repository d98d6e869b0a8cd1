// A model under the names of its folder and under GGUF's.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

struct StoredTensor {
  std::vector<std::int64_t> shape;
  std::string type;   // of GGUF
  std::string bytes;  // as the GGUF file holds them
  std::vector<float> values;
};

// A model in both spellings: the folder's names and rows, and GGUF's.
struct TwoSpellings {
  nlohmann::json config;
  std::map<std::string, StoredTensor> tensors;             // by the folder's names
  std::string architecture;                                // GGUF's
  std::vector<std::pair<std::string, std::string>> names;  // the folder's, GGUF's; without ".weight" and ".bias"

  std::int64_t number(const std::string& key, std::int64_t otherwise = 0) const {
    return config.contains(key) && config[key].is_number() ? config[key].get<std::int64_t>() : otherwise;
  }
  std::int64_t heads() const { return number("num_attention_heads", number("n_head")); }
  std::int64_t width() const { return number("hidden_size", number("n_embd")); }
  std::int64_t layers() const { return number("num_hidden_layers", number("n_layer")); }
  std::int64_t kv_heads() const { return number("num_key_value_heads", heads()); }
  std::int64_t head_dim() const { return number("head_dim", width() / heads()); }
  bool has_outer_norms() const { return architecture == "gemma2" || architecture == "gemma3"; }
  std::int64_t experts() const { return number("num_experts", number("num_local_experts")); }
};

// Row `row` of a Llama's queries or keys in the file.
inline std::int64_t paired_row(std::int64_t row, std::int64_t head_dim) {
  const std::int64_t feature = row % head_dim, half = head_dim / 2;
  return row - feature + 2 * (feature % half) + feature / half;
}

// The file's name of the folder's tensor.
inline std::string gguf_name(const TwoSpellings& model, const std::string& name) {
  for (const auto& [ours, gguf] : model.names) {
    if (name == ours + ".weight") return gguf + ".weight";
    if (name == ours + ".bias") return gguf + ".bias";
    if (name == ours) return gguf + ".weight";  // a module that is one tensor
  }
  return name;
}

// "blk.N." names of every layer, and those outside of layers.
inline void name_modules(TwoSpellings& model, const std::string& layer,
                         const std::vector<std::pair<std::string, std::string>>& inside,
                         const std::vector<std::pair<std::string, std::string>>& outside) {
  model.names = outside;
  for (std::int64_t n = 0; n < model.layers(); ++n) {
    for (const auto& [ours, gguf] : inside) {
      model.names.emplace_back(layer + std::to_string(n) + "." + ours, "blk." + std::to_string(n) + "." + gguf);
    }
  }
}

// Phi and Phi-3.
inline void name_as_phi(TwoSpellings& model) {
  name_modules(model, "model.layers.",
               {{"input_layernorm", "attn_norm"},
                {"self_attn.q_proj", "attn_q"},
                {"self_attn.k_proj", "attn_k"},
                {"self_attn.v_proj", "attn_v"},
                {"self_attn.qkv_proj", "attn_qkv"},
                {"self_attn.dense", "attn_output"},
                {"self_attn.o_proj", "attn_output"},
                {"post_attention_layernorm", "ffn_norm"},
                {"mlp.fc1", "ffn_up"},
                {"mlp.fc2", "ffn_down"},
                {"mlp.gate_up_proj", "ffn_up"},
                {"mlp.down_proj", "ffn_down"}},
               {{"model.embed_tokens", "token_embd"},
                {"model.final_layernorm", "output_norm"},
                {"model.norm", "output_norm"},
                {"lm_head", "output"}});
}

inline void name_as(TwoSpellings& model) {
  if (model.architecture.starts_with("phi")) return name_as_phi(model);
  if (model.architecture == "gpt2") {
    name_modules(model, "h.",
                 {{"ln_1", "attn_norm"},
                  {"attn.c_attn", "attn_qkv"},
                  {"attn.c_proj", "attn_output"},
                  {"ln_2", "ffn_norm"},
                  {"mlp.c_fc", "ffn_up"},
                  {"mlp.c_proj", "ffn_down"}},
                 {{"wte", "token_embd"}, {"wpe", "position_embd"}, {"ln_f", "output_norm"}, {"lm_head", "output"}});
    return;
  }
  name_modules(model, "model.layers.",
               {{"input_layernorm", "attn_norm"},
                {"self_attn.q_proj", "attn_q"},
                {"self_attn.k_proj", "attn_k"},
                {"self_attn.v_proj", "attn_v"},
                {"self_attn.o_proj", "attn_output"},
                {"self_attn.q_norm", "attn_q_norm"},
                {"self_attn.k_norm", "attn_k_norm"},
                {"self_attn.sinks", "attn_sinks"},
                {"post_attention_layernorm",
                 model.has_outer_norms() || model.architecture == "gpt-oss" ? "post_attention_norm" : "ffn_norm"},
                {"pre_feedforward_layernorm", "ffn_norm"},
                {"post_feedforward_layernorm", "post_ffw_norm"},
                {"mlp.router", "ffn_gate_inp"},
                {"mlp.gate", "ffn_gate_inp"},
                {"block_sparse_moe.gate", "ffn_gate_inp"},
                {"mlp.gate_proj", "ffn_gate"},
                {"mlp.up_proj", "ffn_up"},
                {"mlp.down_proj", "ffn_down"}},
               {{"model.embed_tokens", "token_embd"}, {"model.norm", "output_norm"}, {"lm_head", "output"}});
}

}  // namespace headscope
