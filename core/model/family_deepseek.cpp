// Rows of the table of families: DeepSeek's models, with latents and mixtures of experts.
#include <fmt/format.h>

#include <cmath>

#include "core/model/config_values.h"
#include "core/model/family_rows.h"

namespace headscope {
namespace {

using Arch = Architecture;

std::int64_t whole_number(ConfigReader& reader, const char* key, std::int64_t least, std::int64_t otherwise) {
  return reader.whole(key, least, kMostFeatures, otherwise);
}

// Ranks, the sizes of heads, and which of their features are turned.
void read_latent_sizes(ConfigReader& reader, Architecture& architecture) {
  LatentRule latents;
  if (!reader.holds_null("q_lora_rank")) latents.query_rank = whole_number(reader, "q_lora_rank", 1, 1536);
  latents.key_rank = whole_number(reader, "kv_lora_rank", 1, 512);
  latents.rotary = whole_number(reader, "qk_rope_head_dim", 1, 64);
  architecture.latents = latents;
  architecture.value_head_dim = whole_number(reader, "v_head_dim", 1, 128);
  if (architecture.rotary) architecture.rotary->begin = architecture.head_dim - latents.rotary;
  const std::int64_t key_heads = whole_number(reader, "num_key_value_heads", 1, architecture.num_heads);
  if (key_heads == architecture.num_heads) return;
  reader.add_problem(
      fmt::format("num_key_value_heads is {}, which is not implemented; expected num_attention_heads, {}", key_heads,
                  architecture.num_heads));
}

// YaRN's long contexts also sharpen the softmax: scores are multiplied by (0.1 mscale_all_dim log(factor) + 1)^2.
void read_score_scale(ConfigReader& reader, Architecture& architecture) {
  const JsonValue* found = reader.find("rope_scaling");
  if (found == nullptr) found = reader.find("rope_parameters");
  if (found == nullptr || found->kind != JsonValue::Kind::object) return;
  ConfigReader scaling(*found);
  if (scaling.find("mscale_all_dim") == nullptr || scaling.find("mscale_all_dim")->text == "0") return;
  const double all = scaling.positive("mscale_all_dim"), factor = scaling.positive("factor", 1);
  for (const std::string& problem : scaling.problems()) reader.add_problem("rope_scaling: " + problem);
  const double sharper = factor <= 1 ? 1.0 : 0.1 * all * std::log(factor) + 1;
  architecture.score_scale = sharper * sharper / std::sqrt(static_cast<double>(architecture.head_dim));
}

// Which layers have experts: those from first_k_dense_replace on whose number moe_layer_freq divides.
void read_expert_layers(ConfigReader& reader, std::int64_t first, const Architecture& architecture,
                        MixtureRule& mixture) {
  const std::int64_t dense = reader.whole("first_k_dense_replace", 0, kMostLayers, first);
  const std::int64_t step = reader.whole("moe_layer_freq", 1, kMostLayers, 1);
  if (dense == 0 && step == 1) return;
  for (std::int64_t n = 0; n < architecture.num_layers; ++n) mixture.layers.push_back(n >= dense && n % step == 0);
}

// Groups of experts, of which the best alone can be chosen.
void read_expert_groups(ConfigReader& reader, const MixtureRule& otherwise, MixtureRule& mixture) {
  if (!reader.holds_null("n_group")) mixture.groups = whole_number(reader, "n_group", 1, otherwise.groups);
  mixture.chosen_groups = mixture.groups;
  if (!reader.holds_null("topk_group"))
    mixture.chosen_groups = whole_number(reader, "topk_group", 1, otherwise.chosen_groups);
  if (mixture.experts % mixture.groups != 0 || mixture.chosen_groups > mixture.groups ||
      mixture.chosen > mixture.experts / mixture.groups * mixture.chosen_groups) {
    reader.add_problem(fmt::format("{} experts a token of {} of {} groups of {} n_routed_experts do not fit",
                                   mixture.chosen, mixture.chosen_groups, mixture.groups, mixture.experts));
  }
}

// `otherwise`: the defaults of the numbers of experts; width: of one expert.
MixtureRule read_expert_sizes(ConfigReader& reader, const MixtureRule& otherwise) {
  MixtureRule mixture = otherwise;
  mixture.experts = whole_number(reader, "n_routed_experts", 1, otherwise.experts);
  mixture.chosen = whole_number(reader, "num_experts_per_tok", 1, otherwise.chosen);
  mixture.width = whole_number(reader, "moe_intermediate_size", 1, otherwise.width);
  mixture.factor = reader.positive("routed_scaling_factor", otherwise.factor);
  mixture.shared_width = reader.holds_null("n_shared_experts")
                             ? 0
                             : mixture.width * whole_number(reader, "n_shared_experts", 0, otherwise.shared_width);
  mixture.groups = mixture.chosen_groups = 1;
  return mixture;
}

}  // namespace

// models/deepseek_v2 (DeepSeek-AI 2024): keys and values out of latents, experts beside shared ones.
Family deepseek_v2() {
  Family row = llama();
  row.fixed.family = "deepseek_v2";
  row.model_types = {"deepseek_v2"};
  row.keys.num_kv_heads = {};
  row.keys.head_dim = {"qk_nope_head_dim", 128};
  row.keys.more_head_dim = {"qk_rope_head_dim", 64};
  row.rotary.features = {"qk_rope_head_dim", 64};
  row.pairs = RotaryRule::Pairs::neighbours;
  row.biases = {.projections = "attention_bias"};
  row.names.key = row.names.value = "";
  row.names.query_latent = "self_attn.q_a_proj";
  row.names.query_latent_norm = "self_attn.q_a_layernorm";
  row.names.key_latent = "self_attn.kv_a_proj_with_mqa";
  row.names.key_latent_norm = "self_attn.kv_a_layernorm";
  row.names.query_of_latent = "self_attn.q_b_proj";
  row.names.key_value_of_latent = "self_attn.kv_b_proj";
  row.names.router = "mlp.gate";
  row.names.router_correction = "mlp.gate.e_score_correction_bias";
  row.names.experts = "mlp.experts.";
  row.names.expert_gate = "gate_proj";
  row.names.expert_up = "up_proj";
  row.names.expert_down = "down_proj";
  row.names.shared_expert = "mlp.shared_experts.";
  row.refused = {{"scoring_func", {"softmax"}},
                 {"topk_method", {"greedy", "group_limited_greedy"}},
                 {"norm_topk_prob", {"false"}},
                 {"mlp_bias", {"false"}}};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    read_latent_sizes(reader, architecture);
    read_score_scale(reader, architecture);
    if (reader.holds_null("n_routed_experts")) return;
    MixtureRule otherwise;
    otherwise.experts = 64;
    otherwise.chosen = 6;
    otherwise.width = 1407;
    otherwise.shared_width = 2;
    otherwise.renormalised = false;
    MixtureRule mixture = read_expert_sizes(reader, otherwise);
    if (reader.text("topk_method", "greedy") == "group_limited_greedy") read_expert_groups(reader, otherwise, mixture);
    read_expert_layers(reader, 0, architecture, mixture);
    architecture.mixture = std::move(mixture);
  };
  return row;
}

// models/deepseek_v3 (DeepSeek-AI 2024): experts by sigmoids, of which learned numbers balance the choice.
Family deepseek_v3() {
  Family row = deepseek_v2();
  row.fixed.family = "deepseek_v3";
  row.model_types = {"deepseek_v3"};
  row.keys.vocab_size.otherwise = 129280;
  row.keys.d_model.otherwise = 7168;
  row.keys.num_layers.otherwise = 61;
  row.keys.num_heads.otherwise = 128;
  row.keys.mlp_width.otherwise = 18432;
  row.keys.max_positions.otherwise = 4096;
  row.refused = {{"scoring_func", {"sigmoid"}}, {"topk_method", {"noaux_tc"}}, {"mlp_bias", {"false"}}};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    read_latent_sizes(reader, architecture);
    read_score_scale(reader, architecture);
    if (architecture.rotary && !reader.truth("rope_interleave", true)) {
      architecture.rotary->pairs = RotaryRule::Pairs::halves;
    }
    MixtureRule otherwise;
    otherwise.experts = 256;
    otherwise.chosen = 8;
    otherwise.width = 2048;
    otherwise.shared_width = 1;
    otherwise.factor = 2.5;
    otherwise.groups = 8;
    otherwise.chosen_groups = 4;
    otherwise.sigmoid = otherwise.correction = true;
    MixtureRule mixture = read_expert_sizes(reader, otherwise);
    mixture.renormalised = reader.truth("norm_topk_prob", true);
    read_expert_groups(reader, otherwise, mixture);
    read_expert_layers(reader, 3, architecture, mixture);
    architecture.mixture = std::move(mixture);
  };
  return row;
}

}  // namespace headscope
