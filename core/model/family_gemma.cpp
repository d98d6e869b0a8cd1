// Rows of the table of families: the generations of Gemma.
#include <cmath>
#include <optional>

#include "core/model/config_values.h"
#include "core/model/family_rows.h"

namespace headscope {
namespace {

using Arch = Architecture;

void scale_embeddings_by_root(Architecture& architecture) {
  architecture.embedding_scale = std::sqrt(static_cast<float>(architecture.d_model));
}

// The scale and caps of Gemma 2 and 3; null is no cap.
void read_gemma_scores(ConfigReader& reader, Architecture& architecture, std::optional<double> score_cap,
                       std::optional<double> logit_cap) {
  scale_embeddings_by_root(architecture);
  architecture.score_scale = 1.0 / std::sqrt(reader.positive("query_pre_attn_scalar", 256));
  architecture.score_softcap = cap_of(reader, "attn_logit_softcapping", score_cap);
  architecture.logit_softcap = cap_of(reader, "final_logit_softcapping", logit_cap);
}

}  // namespace

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
  row.refused = {{"use_bidirectional_attention", {"false"}}};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    // The first files said hidden_act "gelu" and meant the approximation, which hidden_activation then said.
    const bool newer = reader.find("hidden_activation") != nullptr;
    const bool first_files = !newer && reader.text("hidden_act", "gelu") == "gelu";
    architecture.activation = Arch::Activation::gelu_tanh;
    if (!first_files) {
      architecture.activation =
          activation_of(reader, newer ? "hidden_activation" : "hidden_act", Arch::Activation::gelu_tanh);
    }
    scale_embeddings_by_root(architecture);
  };
  return row;
}

// models/gemma2 (Gemma Team 2024): norms before and after, a window in every other layer, caps.
Family gemma2() {
  Family row = gemma();
  row.fixed.family = "gemma2";
  row.fixed.norm_place = Arch::NormPlace::around;
  row.model_types = {"gemma2"};
  row.keys.d_model.otherwise = 2304;
  row.keys.num_layers.otherwise = 26;
  row.keys.num_heads.otherwise = 8;
  row.keys.num_kv_heads.otherwise = 4;
  row.keys.mlp_width.otherwise = 9216;
  row.keys.activation = "hidden_activation";
  row.names.attention_norm_out = "post_attention_layernorm";
  row.names.mlp_norm = "pre_feedforward_layernorm";
  row.names.mlp_norm_out = "post_feedforward_layernorm";
  row.window = WindowKeys{.otherwise = 4096, .layers_differ = true, .full_every = 2};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    read_gemma_scores(reader, architecture, 50, 30);
  };
  return row;
}

// models/gemma3, its text model (Gemma Team 2025): norms of heads, another base of rotary positions under a window.
Family gemma3() {
  Family row = gemma2();
  row.fixed.family = "gemma3";
  row.fixed.head_norm = true;
  row.model_types = {"gemma3_text"};
  row.wrappers = {"gemma3"};
  row.keys.vocab_size.otherwise = 262208;
  row.keys.max_positions.otherwise = 131072;
  row.names.query_norm = "self_attn.q_norm";
  row.names.key_norm = "self_attn.k_norm";
  row.window =
      WindowKeys{.otherwise = 4096, .layers_differ = true, .full_every = 6, .full_every_key = "sliding_window_pattern"};
  row.rotary.theta.otherwise = 1000000;
  row.rotary.window_theta = {"rope_local_base_freq", 10000};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    read_gemma_scores(reader, architecture, {}, {});
  };
  return row;
}

}  // namespace headscope
