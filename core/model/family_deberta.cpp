// Row of the table of families: the encoder whose queries and keys meet relative positions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/model/config_values.h"
#include "core/model/family_rows.h"

namespace headscope {
namespace {

using Arch = Architecture;

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

// "c2p|p2c", or a list of such words.
std::vector<std::string> listed_words(ConfigReader& reader, const char* key) {
  std::vector<std::string> words;
  const JsonValue* value = reader.find(key);
  if (value == nullptr) return words;
  if (value->kind == JsonValue::Kind::array) {
    for (const JsonValue& item : value->items) words.push_back(lower_case(item.text));
    return words;
  }
  std::string word;
  for (const char c : lower_case(value->text) + "|") {
    if (c == ' ') continue;
    if (c != '|') {
      word += c;
      continue;
    }
    if (!word.empty()) words.push_back(word);
    word.clear();
  }
  return words;
}

// A whole number that a model may leave out or hold as -1.
std::int64_t positive_or(ConfigReader& reader, const char* key, std::int64_t otherwise) {
  const std::int64_t found = reader.whole(key, -1, kMostFeatures, -1);
  return found > 0 ? found : otherwise;
}

// Which parts the scores have beside the product of query and key.
void read_position_terms(ConfigReader& reader, DisentangledRule& rule) {
  for (const std::string& word : listed_words(reader, "pos_att_type")) {
    if (word == "c2p" || word == "p2c") {
      (word == "c2p" ? rule.c2p : rule.p2c) = true;
    } else {
      reader.add_problem(fmt::format("pos_att_type has \"{}\", which is not computed; expected c2p and p2c", word));
    }
  }
}

void read_disentangled(ConfigReader& reader, Architecture& architecture) {
  DisentangledRule rule;
  read_position_terms(reader, rule);
  const double terms = 1.0 + (rule.c2p ? 1.0 : 0.0) + (rule.p2c ? 1.0 : 0.0);
  architecture.score_scale = 1.0 / std::sqrt(static_cast<double>(architecture.head_dim) * terms);
  if (!reader.truth("relative_attention", false) || terms == 1.0) return;
  rule.buckets = positive_or(reader, "position_buckets", 0);
  rule.most_distance = positive_or(reader, "max_relative_positions", architecture.max_positions);
  rule.own_projections = !reader.truth("share_att_key", false);
  const std::vector<std::string> norms = listed_words(reader, "norm_rel_ebd");
  rule.normed = std::find(norms.begin(), norms.end(), "layer_norm") != norms.end();
  const std::int64_t middle = rule.buckets / 2;
  if (rule.buckets > 0 && (middle < 1 || rule.most_distance - 1 <= middle)) {
    reader.add_problem(
        fmt::format("position_buckets is {} beside a max_relative_positions of {}, expected at least 2 "
                    "and less than twice that number less 2",
                    rule.buckets, rule.most_distance));
  }
  architecture.disentangled = rule;
}

// The convolution beside layer 0, whose sizes are those of torch.nn.Conv1d.
void read_convolution_rule(ConfigReader& reader, Architecture& architecture) {
  ConvolutionRule rule;
  rule.taps = reader.whole("conv_kernel_size", 0, kMostFeatures, 0);
  if (rule.taps == 0) return;
  rule.groups = reader.whole("conv_groups", 1, kMostFeatures, 1);
  if (reader.text("conv_act", "tanh") != "tanh") {
    rule.activation = activation_of(reader, "conv_act", Arch::Activation::gelu);
  }
  if (rule.taps % 2 == 0) {
    reader.add_problem(
        fmt::format("conv_kernel_size is {}, expected an odd number, which leaves as many tokens", rule.taps));
  }
  if (architecture.d_model % rule.groups != 0) {
    reader.add_problem(
        fmt::format("conv_groups is {}, which does not divide hidden_size, {}", rule.groups, architecture.d_model));
  }
  architecture.convolution = rule;
}

void read_deberta(ConfigReader& reader, const Family&, Architecture& architecture) {
  if (!reader.truth("position_biased_input", true)) architecture.position = Arch::Position::none;
  architecture.token_types = reader.whole("type_vocab_size", 0, kMostFeatures, 0);
  read_convolution_rule(reader, architecture);
  const std::int64_t narrow = positive_or(reader, "embedding_size", architecture.d_model);
  if (narrow != architecture.d_model) {
    architecture.embedding_width = narrow;
    architecture.projected_first = true;
  }
  read_disentangled(reader, architecture);
}

}  // namespace

// models/deberta_v2 (He et al. 2020 and 2021): DeBERTa-v2 and v3. Files of its published code have other names for the
// masked head than those that were trained further.
Family deberta_v2() {
  Family row = bert();
  row.fixed.family = "deberta-v2";
  row.model_types = {"deberta-v2"};
  row.keys = {.vocab_size = {"vocab_size", 128100},
              .d_model = {"hidden_size", 1536},
              .num_layers = {"num_hidden_layers", 24},
              .num_heads = {"num_attention_heads", 24},
              .head_dim = {"attention_head_size", {}},
              .mlp_width = {"intermediate_size", 6144},
              .max_positions = {"max_position_embeddings", 512},
              .norm_eps = {"layer_norm_eps", 1e-7},
              .activation = "hidden_act"};
  row.names.query = "attention.self.query_proj";
  row.names.key = "attention.self.key_proj";
  row.names.value = "attention.self.value_proj";
  row.names.relative_positions = "encoder.rel_embeddings";
  row.names.relative_norm = "encoder.LayerNorm";
  row.names.position_key = "attention.self.pos_key_proj";
  row.names.position_query = "attention.self.pos_query_proj";
  row.names.embedding_projection = "embeddings.embed_proj";
  row.names.convolution = "encoder.conv.conv";
  row.names.convolution_norm = "encoder.conv.LayerNorm";
  row.names.transform = "lm_predictions.lm_head.dense";
  row.names.transform_norm = "lm_predictions.lm_head.LayerNorm";
  row.names.decoder = "cls.predictions.decoder";
  row.names.decoder_bias = "lm_predictions.lm_head.bias";
  row.names.older_transform = "cls.predictions.transform.dense";
  row.names.older_transform_norm = "cls.predictions.transform.LayerNorm";
  row.names.older_decoder_bias = "cls.predictions.bias";
  row.refused = {};
  row.left_out = {"mask_predictions.", "embeddings.position_embeddings", "cls.predictions.decoder.bias"};
  row.particulars = read_deberta;
  return row;
}

}  // namespace headscope
