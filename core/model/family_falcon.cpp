// Rows of the table of families: decoders that may add biases of positions to their scores, Falcon and MPT.
#include <fmt/format.h>

#include <cmath>

#include "core/model/config_values.h"
#include "core/model/family_rows.h"
#include "core/request/alibi.h"

namespace headscope {
namespace {

using Arch = Architecture;

// The object below `key`; one without keys where there is none.
const JsonValue& object_below(ConfigReader& reader, const char* key) {
  static const JsonValue nothing;
  const JsonValue* found = reader.find(key);
  if (found == nullptr) return nothing;
  if (found->kind == JsonValue::Kind::object) return *found;
  reader.add_problem(fmt::format("{} is {}, expected an object", key, shown_value(*found)));
  return nothing;
}

// Settings that ask for arithmetic that is not here, and what they may be.
void refuse_others(ConfigReader& reader, const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) refuse_unless_allowed(reader, refusal);
}

void read_mpt_attention(ConfigReader& reader, Architecture& architecture) {
  ConfigReader attention(object_below(reader, "attn_config"));
  refuse_others(attention, {{"alibi", {"true"}},
                            {"attn_type", {"multihead_attention"}},
                            {"qk_gn", {"false"}},
                            {"prefix_lm", {"false"}},
                            {"attn_uses_sequence_id", {"false"}},
                            {"rope", {"false"}},
                            {"sliding_window_size", {"-1"}},
                            {"attn_logit_softcapping", {"null"}}});
  const std::int64_t key_heads = attention.whole("kv_n_heads", 1, kMostFeatures, architecture.num_heads);
  if (key_heads != architecture.num_heads) {
    attention.add_problem(fmt::format("kv_n_heads is {}, which is not implemented; expected n_heads, {}", key_heads,
                                      architecture.num_heads));
  }
  if (attention.find("softmax_scale") != nullptr) architecture.score_scale = attention.positive("softmax_scale");
  if (attention.find("clip_qkv") != nullptr) architecture.qkv_clip = attention.positive("clip_qkv");
  architecture.head_norm = architecture.head_norm_whole = attention.truth("qk_ln", false);
  architecture.head_norm_kind = Arch::Norm::layer;
  if (architecture.head_norm && architecture.norm_bias) {
    attention.add_problem("qk_ln is true with no_bias false, whose biases of these norms are not read; expected false");
  }
  architecture.alibi_size = alibi_size_of_most(attention.whole("alibi_bias_max", 1, 1 << 20, kAlibiMost));
  for (const std::string& problem : attention.problems()) reader.add_problem("attn_config: " + problem);
  ConfigReader mlp(object_below(reader, "ffn_config"));
  refuse_others(mlp, {{"ffn_type", {"mptmlp"}}, {"ffn_act_fn", {"null"}}, {"ffn_hidden_size", {"null"}}});
  for (const std::string& problem : mlp.problems()) reader.add_problem("ffn_config: " + problem);
}

// logit_scale: a number, or the name of one.
void read_mpt_logits(ConfigReader& reader, Architecture& architecture) {
  const JsonValue* scale = reader.find("logit_scale");
  if (scale == nullptr) return;
  if (scale->kind != JsonValue::Kind::string) {
    architecture.logit_scale = reader.positive("logit_scale");
  } else if (scale->text == "inv_sqrt_d_model") {
    architecture.logit_scale = 1 / std::sqrt(static_cast<double>(architecture.d_model));
  } else {
    reader.add_problem(
        fmt::format("logit_scale is {}, expected a number above 0 or inv_sqrt_d_model", shown_value(*scale)));
  }
}

// How many keys there are, and how the rows of the fused projection stand.
void read_falcon_heads(ConfigReader& reader, Architecture& architecture) {
  const bool grouped = reader.truth("new_decoder_architecture", false);
  if (!grouped && reader.truth("multi_query", true)) {
    architecture.num_kv_heads = 1;
    architecture.fused_rows = Arch::FusedRows::blocked;
    return;
  }
  const std::int64_t heads = architecture.num_heads;
  const std::int64_t key_heads = reader.whole("num_kv_heads", 1, kMostFeatures, heads);
  architecture.num_kv_heads = key_heads;
  architecture.fused_rows = grouped ? Arch::FusedRows::grouped : Arch::FusedRows::per_head;
  if (grouped && heads % key_heads != 0) {
    reader.add_problem(
        fmt::format("num_attention_heads is {}, which num_kv_heads {} does not divide", heads, key_heads));
  } else if (!grouped && key_heads != heads) {
    reader.add_problem(
        fmt::format("num_kv_heads is {} without multi_query, expected num_attention_heads, {}", key_heads, heads));
  }
  if (grouped && !reader.truth("parallel_attn", true)) {
    reader.add_problem("parallel_attn is false with new_decoder_architecture, which is not implemented; expected true");
  }
}

void read_falcon_positions(ConfigReader& reader, Architecture& architecture) {
  if (!reader.truth("alibi", false)) return;
  architecture.position = Arch::Position::none;
  architecture.rotary.reset();
  architecture.alibi = true;
  architecture.alibi_size = alibi_size_of_falcon(architecture.head_dim);
}

}  // namespace

// models/falcon (Almazrouei et al. 2023). 7B: all heads share one key and value, attention and MLP stand side by side
// behind one norm. RW: a key for every head, one after the other behind two norms, ALiBi. 11B: groups of heads share a
// key.
Family falcon() {
  Family row = gpt_neox();
  row.fixed.family = "falcon";
  row.fixed.qkv_bias = row.fixed.output_bias = row.fixed.mlp_bias = false;
  row.model_types = {"falcon"};
  row.keys = {.vocab_size = {"vocab_size", 65024},
              .d_model = {"hidden_size", 4544},
              .num_layers = {"num_hidden_layers", 32},
              .num_heads = {"num_attention_heads", 71},
              .mlp_width = {"ffn_hidden_size", {}},
              .max_positions = {"max_position_embeddings", 2048},
              .norm_eps = {"layer_norm_epsilon", 1e-5},
              .activation = "activation"};
  row.names = bloom().names;
  row.names.embedding_norm = "";
  row.biases = {.projections = "bias", .mlp = "bias"};
  row.tied = Family::Tied::yes;
  row.rotary = {};
  row.refused = {{"num_ln_in_parallel_attn", {"1"}}, {"apply_residual_connection_post_layernorm", {"false"}}};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    read_falcon_heads(reader, architecture);
    architecture.parallel = architecture.shared_norm = reader.truth("parallel_attn", true);
    read_falcon_positions(reader, architecture);
  };
  return row;
}

// 40B and 180B: groups of heads share a key; attention and MLP have norms of their own.
Family falcon_two_norms() {
  Family row = falcon();
  row.applies = [](ConfigReader& reader) {
    return reader.truth("new_decoder_architecture", false) && reader.whole("num_ln_in_parallel_attn", 0, 1024, 2) == 2;
  };
  row.names.attention_norm = "ln_attn";
  row.names.mlp_norm = "ln_mlp";
  row.refused = {};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    read_falcon_heads(reader, architecture);
    architecture.parallel = true;
    read_falcon_positions(reader, architecture);
  };
  return row;
}

// models/mpt (MosaicML 2023): LayerNorms and linear maps without biases, ALiBi, projections that may be held within
// bounds. Where scores have these, the positions that learned_pos_emb speaks of are not used. no_bias, logit_scale and
// qk_ln as MosaicML's own code reads them.
Family mpt() {
  Family row;
  row.fixed.family = "mpt";
  row.fixed.causal = true;
  row.fixed.alibi = true;
  row.fixed.final_norm = true;
  row.fixed.mlp = Arch::Mlp::plain;
  row.fixed.qkv_bias = row.fixed.output_bias = row.fixed.mlp_bias = row.fixed.norm_bias = false;
  row.model_types = {"mpt"};
  row.keys = {.vocab_size = {"vocab_size", 50368},
              .d_model = {"d_model", 2048},
              .num_layers = {"n_layers", 24},
              .num_heads = {"n_heads", 16},
              .max_positions = {"max_seq_len", 2048},
              .norm_eps = {"layer_norm_epsilon", 1e-5}};
  row.names = {.word = "wte",
               .layer = "blocks.",
               .attention_norm = "norm_1",
               .qkv = "attn.Wqkv",
               .output = "attn.out_proj",
               .query_norm = "attn.q_ln",
               .key_norm = "attn.k_ln",
               .mlp_norm = "norm_2",
               .up = "ffn.up_proj",
               .down = "ffn.down_proj",
               .final_norm = "norm_f",
               .decoder = "lm_head"};
  row.tied = Family::Tied::yes;
  row.refused = {{"final_logit_softcapping", {"null"}}, {"norm_type", {"low_precision_layernorm", "layernorm"}}};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    architecture.mlp_width = architecture.d_model * reader.whole("expansion_ratio", 1, 1024, 4);
    architecture.qkv_bias = architecture.output_bias = architecture.mlp_bias = architecture.norm_bias =
        !reader.truth("no_bias", true);
    read_mpt_logits(reader, architecture);
    read_mpt_attention(reader, architecture);
  };
  return row;
}

}  // namespace headscope
