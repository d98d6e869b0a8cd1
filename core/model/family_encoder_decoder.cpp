// Rows of the table of families: models with an encoder and a decoder. The row is the encoder; its more_parts are
// the self-attention and the cross-attention of the decoder's layers.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "core/base/message_text.h"
#include "core/model/config_values.h"
#include "core/model/family_rows.h"

namespace headscope {
namespace {

using Arch = Architecture;

constexpr std::int64_t kMostDistance = std::int64_t{1} << 30;

// Where no key says which, mT5's MLP is gated.
std::string t5_mlp_of(ConfigReader& reader) {
  const bool newer = reader.text("model_type", "") == "mt5";
  return reader.text("feed_forward_proj", newer ? "gated-gelu" : "relu");
}

bool has_gated_mlp(ConfigReader& reader) {
  return t5_mlp_of(reader).starts_with("gated-");
}

// The MLP's function, relative positions, and what the decoder's logits are multiplied by.
void read_t5(ConfigReader& reader, const Family&, Architecture& architecture) {
  const std::string mlp = t5_mlp_of(reader);
  if (mlp == "relu") architecture.activation = Arch::Activation::relu;
  if (mlp == "gated-gelu") architecture.activation = Arch::Activation::gelu_tanh;
  if (mlp == "gated-silu") architecture.activation = Arch::Activation::silu;
  if (mlp != "relu" && mlp != "gated-gelu" && mlp != "gated-silu") {
    reader.add_problem(
        fmt::format("feed_forward_proj is {}, which is not implemented; expected relu, gated-gelu or "
                    "gated-silu",
                    in_quotes(mlp)));
  }
  if (reader.text("model_type", "") == "mt5" && reader.find("tie_word_embeddings") == nullptr) {
    architecture.tied_embeddings = false;
  }
  if (architecture.part != Arch::Part::cross) {
    RelativeRule rule;
    rule.buckets = reader.whole("relative_attention_num_buckets", 4, kMostFeatures, 32);
    rule.most_distance = reader.whole("relative_attention_max_distance", 2, kMostDistance, 128);
    rule.both_directions = architecture.part == Arch::Part::encoder;
    const std::int64_t single = rule.buckets / (rule.both_directions ? 4 : 2);  // buckets of one distance
    if (rule.most_distance <= single) {
      reader.add_problem(
          fmt::format("relative_attention_max_distance is {}, expected more than {}, the distances with "
                      "a bucket of their own",
                      rule.most_distance, single));
    }
    architecture.relative = rule;
  }
  if (architecture.part == Arch::Part::encoder) {
    architecture.tied_embeddings = false;  // it has no head
  } else if (architecture.tied_embeddings) {
    architecture.logit_scale = 1 / std::sqrt(static_cast<double>(architecture.d_model));
  }
}

// models/t5 (Raffel et al. 2020): RMS norms before, no biases, scores without a scale.
Family t5_encoder(bool gated) {
  Family row;
  row.fixed.family = "t5";
  row.fixed.part = Arch::Part::encoder;
  row.fixed.norm = Arch::Norm::rms;
  row.fixed.final_norm = true;
  row.fixed.mlp = gated ? Arch::Mlp::gated : Arch::Mlp::plain;
  row.fixed.score_scale = 1;
  row.fixed.qkv_bias = row.fixed.output_bias = row.fixed.mlp_bias = false;
  row.model_types = {"t5", "mt5"};
  row.keys = {.vocab_size = {"vocab_size", 32128},
              .d_model = {"d_model", 512},
              .num_layers = {"num_layers", 6},
              .num_heads = {"num_heads", 8},
              .head_dim = {"d_kv", 64},
              .mlp_width = {"d_ff", 2048},
              .max_positions = {"n_positions", 512},
              .norm_eps = {"layer_norm_epsilon", 1e-6}};
  row.names = {.word = "shared",
               .older_word = "encoder.embed_tokens",
               .layer = "encoder.block.",
               .attention_norm = "layer.0.layer_norm",
               .query = "layer.0.SelfAttention.q",
               .key = "layer.0.SelfAttention.k",
               .value = "layer.0.SelfAttention.v",
               .output = "layer.0.SelfAttention.o",
               .mlp_norm = "layer.1.layer_norm",
               .gate = gated ? "layer.1.DenseReluDense.wi_0" : "",
               .up = gated ? "layer.1.DenseReluDense.wi_1" : "layer.1.DenseReluDense.wi",
               .down = "layer.1.DenseReluDense.wo",
               .relative = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias",
               .final_norm = "encoder.final_layer_norm"};
  row.tied = Family::Tied::yes;
  row.particulars = read_t5;
  return row;
}

Family t5_row(bool gated) {
  Family row = t5_encoder(gated);
  Family decoder = t5_encoder(gated);
  decoder.fixed.part = Arch::Part::decoder;
  decoder.fixed.causal = true;
  decoder.fixed.mlp = Arch::Mlp::none;
  // An absent or empty num_decoder_layers is num_layers.
  decoder.keys.num_layers = {"num_decoder_layers", 6, "num_layers"};
  decoder.names.older_word = "decoder.embed_tokens";
  decoder.names.layer = "decoder.block.";
  decoder.names.relative = "decoder.block.0.layer.0.SelfAttention.relative_attention_bias";
  decoder.names.mlp_norm = decoder.names.gate = decoder.names.up = decoder.names.down = "";
  decoder.names.final_norm = "decoder.final_layer_norm";
  decoder.names.decoder = "lm_head";
  Family cross = decoder;
  cross.fixed.part = Arch::Part::cross;
  cross.fixed.causal = false;
  cross.fixed.mlp = row.fixed.mlp;
  cross.names.attention_norm = "layer.1.layer_norm";
  cross.names.query = "layer.1.EncDecAttention.q";
  cross.names.key = "layer.1.EncDecAttention.k";
  cross.names.value = "layer.1.EncDecAttention.v";
  cross.names.output = "layer.1.EncDecAttention.o";
  cross.names.mlp_norm = "layer.2.layer_norm";
  cross.names.gate = gated ? "layer.2.DenseReluDense.wi_0" : "";
  cross.names.up = gated ? "layer.2.DenseReluDense.wi_1" : "layer.2.DenseReluDense.wi";
  cross.names.down = "layer.2.DenseReluDense.wo";
  cross.names.relative = "";
  row.more_parts = {decoder, cross};
  return row;
}

// Embeddings times sqrt(d_model), rounded to float32 as the reference's products are.
void read_bart(ConfigReader& reader, const Family&, Architecture& architecture) {
  if (reader.truth("scale_embedding", false)) {
    architecture.embedding_scale =
        static_cast<double>(static_cast<float>(std::sqrt(static_cast<double>(architecture.d_model))));
  }
  if (architecture.part == Arch::Part::encoder) architecture.tied_embeddings = false;  // it has no head
}

Family bart_encoder() {
  Family row;
  row.fixed.family = "bart";
  row.fixed.part = Arch::Part::encoder;
  row.fixed.norm_place = Arch::NormPlace::after_sum;
  row.fixed.position = Arch::Position::learned;
  row.fixed.position_offset = 2;
  row.fixed.embedding_norm = true;
  row.fixed.mlp = Arch::Mlp::plain;
  row.model_types = {"bart"};
  row.keys = {.vocab_size = {"vocab_size", 50265},
              .d_model = {"d_model", 1024},
              .num_layers = {"encoder_layers", 12},
              .num_heads = {"encoder_attention_heads", 16},
              .mlp_width = {"encoder_ffn_dim", 4096},
              .max_positions = {"max_position_embeddings", 1024},
              .norm_eps = {"", 1e-5},
              .activation = "activation_function"};
  row.names = {.word = "shared",
               .older_word = "encoder.embed_tokens",
               .position = "encoder.embed_positions",
               .embedding_norm = "encoder.layernorm_embedding",
               .layer = "encoder.layers.",
               .attention_norm = "self_attn_layer_norm",
               .query = "self_attn.q_proj",
               .key = "self_attn.k_proj",
               .value = "self_attn.v_proj",
               .output = "self_attn.out_proj",
               .mlp_norm = "final_layer_norm",
               .up = "fc1",
               .down = "fc2"};
  row.tied = Family::Tied::yes;
  row.refused = {{"normalize_before", {"false"}},
                 {"add_final_layer_norm", {"false"}},
                 {"normalize_embedding", {"true"}},
                 {"static_position_embeddings", {"false"}},
                 {"add_bias_logits", {"false"}}};
  row.particulars = read_bart;
  return row;
}

// The decoder beside an encoder with names as BART has them.
Family with_bart_decoder(Family row) {
  Family decoder = row;
  decoder.fixed.part = Arch::Part::decoder;
  decoder.fixed.causal = true;
  decoder.fixed.mlp = Arch::Mlp::none;
  decoder.keys.num_layers.key = "decoder_layers";
  decoder.keys.num_heads.key = "decoder_attention_heads";
  decoder.keys.mlp_width.key = "decoder_ffn_dim";
  decoder.names.older_word = "decoder.embed_tokens";
  decoder.names.position = "decoder.embed_positions";
  if (row.fixed.embedding_norm) decoder.names.embedding_norm = "decoder.layernorm_embedding";
  decoder.names.layer = "decoder.layers.";
  decoder.names.mlp_norm = decoder.names.up = decoder.names.down = "";
  if (row.fixed.final_norm) decoder.names.final_norm = "decoder.layer_norm";
  decoder.names.decoder = "lm_head";
  decoder.names.decoder_row = "final_logits_bias";
  Family cross = decoder;
  cross.fixed.part = Arch::Part::cross;
  cross.fixed.causal = false;
  cross.fixed.mlp = Arch::Mlp::plain;
  cross.names.attention_norm = "encoder_attn_layer_norm";
  cross.names.query = "encoder_attn.q_proj";
  cross.names.key = "encoder_attn.k_proj";
  cross.names.value = "encoder_attn.v_proj";
  cross.names.output = "encoder_attn.out_proj";
  cross.names.mlp_norm = row.names.mlp_norm;
  cross.names.up = row.names.up;
  cross.names.down = row.names.down;
  row.more_parts = {std::move(decoder), std::move(cross)};
  return row;
}

}  // namespace

Family t5() {
  return t5_row(false);
}

// T5 1.1, mT5, Flan-T5 (Shazeer 2020, GLU Variants Improve Transformer).
Family t5_gated() {
  Family row = t5_row(true);
  row.applies = has_gated_mlp;
  return row;
}

// models/bart (Lewis et al. 2020): norms after the sums, learned positions from row 2 on.
Family bart() {
  return with_bart_decoder(bart_encoder());
}

// models/mbart (Liu et al. 2020): BART with norms before, and a last one.
Family mbart() {
  Family row = bart_encoder();
  row.fixed.family = "mbart";
  row.fixed.norm_place = Arch::NormPlace::before;
  row.fixed.final_norm = true;
  row.model_types = {"mbart"};
  row.names.final_norm = "encoder.layer_norm";
  row.refused[0] = {"normalize_before", {"true"}};
  row.refused[1] = {"add_final_layer_norm", {"true"}};
  return with_bart_decoder(std::move(row));
}

namespace {

bool has_two_vocabularies(ConfigReader& reader) {
  return !reader.truth("share_encoder_decoder_embeddings", true);
}

}  // namespace

// models/marian (Junczys-Dowmunt et al. 2018): norms after the sums, sinusoidal positions.
Family marian() {
  Family row = bart_encoder();
  row.fixed.family = "marian";
  row.fixed.position_offset = 0;
  row.fixed.sinusoidal = true;
  row.fixed.embedding_norm = false;
  row.model_types = {"marian"};
  row.keys.vocab_size.otherwise = 58101;
  row.names.embedding_norm = "";
  row.refused = {{"normalize_before", {"false"}},
                 {"add_final_layer_norm", {"false"}},
                 {"normalize_embedding", {"false"}},
                 {"static_position_embeddings", {"true"}}};
  return with_bart_decoder(std::move(row));
}

// Marian with a vocabulary for what it reads and another for what it writes.
Family marian_two_vocabularies() {
  Family row = marian();
  row.applies = has_two_vocabularies;
  row.names.word = "encoder.embed_tokens";
  row.names.older_word = "";
  for (Family& part : row.more_parts) {
    part.keys.vocab_size = {"decoder_vocab_size", part.keys.vocab_size.otherwise, "vocab_size"};
    part.names.word = "decoder.embed_tokens";
    part.names.older_word = "";
  }
  return row;
}

}  // namespace headscope
