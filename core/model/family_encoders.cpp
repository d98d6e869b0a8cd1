// Rows of the table of families: encoders with narrow embeddings, shared layers, or rotary positions.
#include <fmt/format.h>

#include "core/model/config_values.h"
#include "core/model/family_rows.h"

namespace headscope {
namespace {

using Arch = Architecture;

}  // namespace

// models/electra (Clark et al. 2020): BERT with embeddings of their own width. A generator predicts tokens, a
// discriminator has no head that does.
Family electra() {
  Family row = bert();
  row.fixed.family = "electra";
  row.model_types = {"electra"};
  row.keys.d_model.otherwise = 256;
  row.keys.num_heads.otherwise = 4;
  row.keys.mlp_width.otherwise = 1024;
  row.keys.embedding_width = {"embedding_size", 128};
  row.names.embedding_projection = "embeddings_project";
  row.names.transform = "generator_predictions.dense";
  row.names.transform_norm = "generator_predictions.LayerNorm";
  row.names.decoder = "generator_lm_head";
  row.names.decoder_bias = "generator_lm_head.bias";
  row.particulars = [](ConfigReader&, const Family&, Architecture& architecture) {
    if (architecture.embedding_width == architecture.d_model) architecture.embedding_width = 0;
    architecture.head_activation = Arch::Activation::gelu;
  };
  return row;
}

// models/albert (Lan et al. 2020): all layers of a group have the same weights, narrow embeddings are projected.
Family albert() {
  Family row = bert();
  row.fixed.family = "albert";
  row.fixed.activation = Arch::Activation::gelu_tanh;
  row.model_types = {"albert"};
  row.keys.vocab_size.otherwise = 30000;
  row.keys.d_model.otherwise = 4096;
  row.keys.num_heads.otherwise = 64;
  row.keys.mlp_width.otherwise = 16384;
  row.keys.embedding_width = {"embedding_size", 128};
  row.names.embedding_projection = "encoder.embedding_hidden_mapping_in";
  row.names.layer = "encoder.albert_layer_groups.";
  row.names.attention_norm = "albert_layers.0.attention.LayerNorm";
  row.names.query = "albert_layers.0.attention.query";
  row.names.key = "albert_layers.0.attention.key";
  row.names.value = "albert_layers.0.attention.value";
  row.names.output = "albert_layers.0.attention.dense";
  row.names.mlp_norm = "albert_layers.0.full_layer_layer_norm";
  row.names.up = "albert_layers.0.ffn";
  row.names.down = "albert_layers.0.ffn_output";
  row.names.transform = "predictions.dense";
  row.names.transform_norm = "predictions.LayerNorm";
  row.names.decoder = "predictions.decoder";
  row.names.decoder_bias = "predictions.bias";
  row.refused.push_back({"inner_group_num", {"1"}});
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    const std::int64_t layers = architecture.num_layers;
    architecture.layer_groups = reader.whole("num_hidden_groups", 1, kMostLayers, 1);
    if (layers % architecture.layer_groups == 0) return;
    reader.add_problem(fmt::format("num_hidden_groups is {}, which does not divide num_hidden_layers, {}",
                                   architecture.layer_groups, layers));
  };
  return row;
}

// models/modernbert (Warner et al. 2024): norms before, gated MLPs, rotary positions of two bases, a window in all but
// every third layer; layer 0's attention reads the normalised embeddings as they are.
Family modernbert() {
  Family row;
  row.fixed.family = "modernbert";
  row.fixed.position = Arch::Position::rotary;
  row.fixed.embedding_norm = row.fixed.final_norm = row.fixed.bare_first_layer = true;
  row.fixed.mlp = Arch::Mlp::gated;
  row.fixed.qkv_bias = row.fixed.output_bias = row.fixed.mlp_bias = false;
  row.model_types = {"modernbert"};
  row.keys = {.vocab_size = {"vocab_size", 50368},
              .d_model = {"hidden_size", 768},
              .num_layers = {"num_hidden_layers", 22},
              .num_heads = {"num_attention_heads", 12},
              .mlp_width = {"intermediate_size", 1152},
              .max_positions = {"max_position_embeddings", 8192},
              .norm_eps = {"norm_eps", 1e-5},
              .activation = "hidden_activation"};
  row.names = {.word = "embeddings.tok_embeddings",
               .embedding_norm = "embeddings.norm",
               .layer = "layers.",
               .attention_norm = "attn_norm",
               .qkv = "attn.Wqkv",
               .output = "attn.Wo",
               .mlp_norm = "mlp_norm",
               .gate_up = "mlp.Wi",
               .down = "mlp.Wo",
               .final_norm = "final_norm",
               .transform = "head.dense",
               .transform_norm = "head.norm",
               .decoder = "decoder",
               .decoder_bias = "decoder.bias"};
  row.biases = {.projections = "attention_bias", .mlp = "mlp_bias"};
  row.tied = Family::Tied::yes;
  row.window = WindowKeys{.otherwise = 128,
                          .key = "local_attention",
                          .breadth = true,
                          .layers_differ = true,
                          .full_every = 3,
                          .full_first = true,
                          .full_every_key = "global_attn_every_n_layers"};
  row.rotary.theta = {"global_rope_theta", 160000};
  row.rotary.window_theta = {"local_rope_theta", 10000};
  row.refused = {{"rope_scaling", {"null"}}};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    const bool norm_bias = reader.truth("norm_bias", false);
    architecture.norm_bias = architecture.transform_norm_bias = norm_bias;
    architecture.transform_bias = reader.truth("classifier_bias", false);
    architecture.decoder_bias = reader.truth("decoder_bias", true);
    architecture.head_activation = activation_of(reader, "classifier_activation", Arch::Activation::gelu);
    if (reader.holds_null("local_rope_theta")) architecture.window_rotary = architecture.rotary;
  };
  return row;
}

}  // namespace headscope
