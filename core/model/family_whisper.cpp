// The row of Whisper in the table of families: a sound's features for the encoder, a text for the decoder.
#include <utility>

#include "core/model/config_reader.h"
#include "core/model/config_values.h"
#include "core/model/family_rows.h"

namespace headscope {
namespace {

using Arch = Architecture;

void read_whisper(ConfigReader& reader, const Family&, Architecture& architecture) {
  if (architecture.part != Arch::Part::encoder) return;
  architecture.features->bands = reader.whole("num_mel_bins", 1, kMostFeatures, 80);
  architecture.tied_embeddings = false;  // it has no head
}

Family whisper_encoder() {
  Family row;
  row.fixed.family = "whisper";
  row.fixed.part = Arch::Part::encoder;
  row.fixed.features = FeatureRule{};
  row.fixed.position = Arch::Position::learned;
  row.fixed.final_norm = true;
  row.fixed.key_bias = false;
  row.fixed.mlp = Arch::Mlp::plain;
  row.model_types = {"whisper"};
  row.keys = {.vocab_size = {"vocab_size", 51865},
              .d_model = {"d_model", 384},
              .num_layers = {"encoder_layers", 4},
              .num_heads = {"encoder_attention_heads", 6},
              .mlp_width = {"encoder_ffn_dim", 1536},
              .max_positions = {"max_source_positions", 1500},
              .norm_eps = {"", 1e-5},
              .activation = "activation_function"};
  row.names = {.position = "encoder.embed_positions",
               .first_convolution = "encoder.conv1",
               .second_convolution = "encoder.conv2",
               .layer = "encoder.layers.",
               .attention_norm = "self_attn_layer_norm",
               .query = "self_attn.q_proj",
               .key = "self_attn.k_proj",
               .value = "self_attn.v_proj",
               .output = "self_attn.out_proj",
               .mlp_norm = "final_layer_norm",
               .up = "fc1",
               .down = "fc2",
               .final_norm = "encoder.layer_norm"};
  row.tied = Family::Tied::yes;
  row.refused = {{"scale_embedding", {"false"}}};
  row.particulars = read_whisper;
  return row;
}

}  // namespace

// models/whisper (Radford et al. 2022): norms before, the encoder's positions sines and cosines that its files hold,
// the decoder's learned.
Family whisper() {
  Family row = whisper_encoder();
  Family decoder = row;
  decoder.fixed.part = Arch::Part::decoder;
  decoder.fixed.features.reset();
  decoder.fixed.causal = true;
  decoder.fixed.mlp = Arch::Mlp::none;
  decoder.keys.num_layers.key = "decoder_layers";
  decoder.keys.num_heads.key = "decoder_attention_heads";
  decoder.keys.mlp_width.key = "decoder_ffn_dim";
  decoder.keys.max_positions = {"max_target_positions", 448};
  decoder.names.word = "decoder.embed_tokens";
  decoder.names.position = "decoder.embed_positions";
  decoder.names.first_convolution = decoder.names.second_convolution = "";
  decoder.names.layer = "decoder.layers.";
  decoder.names.mlp_norm = decoder.names.up = decoder.names.down = "";
  decoder.names.final_norm = "decoder.layer_norm";
  decoder.names.decoder = "proj_out";
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

}  // namespace headscope
