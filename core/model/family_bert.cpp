// Rows of the table of families: encoders.
#include <fmt/format.h>

#include "core/model/config_values.h"
#include "core/model/family_rows.h"

namespace headscope {
namespace {

using Arch = Architecture;

}  // namespace

// https://github.com/huggingface/transformers, models/bert (Devlin et al. 2018).
Family bert() {
  Family row;
  row.fixed.family = "bert";
  row.fixed.norm_place = Arch::NormPlace::after_sum;
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
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    const std::int64_t rows = architecture.max_positions;
    architecture.position_offset = reader.whole("pad_token_id", 0, kMostFeatures, 1) + 1;
    architecture.max_positions = rows - architecture.position_offset;
    if (architecture.max_positions < 1) {
      reader.add_problem(fmt::format("max_position_embeddings is {}, expected more than pad_token_id + 1, {}", rows,
                                     architecture.position_offset));
    }
    architecture.head_activation = Arch::Activation::gelu;
  };
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

}  // namespace headscope
