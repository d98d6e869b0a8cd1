// Rows of the table of families: mixtures of experts.
#include <fmt/format.h>

#include <algorithm>

#include "core/model/config_values.h"
#include "core/model/family_rows.h"

namespace headscope {
namespace {

// Numbers of experts: `experts` and `chosen` name the keys.
MixtureRule mixture_of(ConfigReader& reader, const ConfigNumber& experts, const ConfigNumber& chosen) {
  constexpr std::int64_t kMostExperts = 1 << 16;
  MixtureRule mixture;
  mixture.experts = reader.whole(experts.key, 1, kMostExperts, static_cast<std::int64_t>(*experts.otherwise));
  mixture.chosen = reader.whole(chosen.key, 1, kMostExperts, static_cast<std::int64_t>(*chosen.otherwise));
  if (mixture.chosen > mixture.experts) {
    reader.add_problem(
        fmt::format("{} is {}, expected at most {} {}", chosen.key, mixture.chosen, experts.key, mixture.experts));
  }
  return mixture;
}

// The numbers of a list of layers, those beyond the last one passed over as the reference does.
std::vector<std::int64_t> layers_listed(ConfigReader& reader, const char* key) {
  std::vector<std::int64_t> listed;
  const JsonValue* list = reader.find(key);
  if (list == nullptr) return listed;
  const auto whole = [](const JsonValue& item) {
    return item.kind == JsonValue::Kind::number && !item.text.empty() && item.text.size() < 10 &&
           item.text.find_first_not_of("0123456789") == item.text.npos;
  };
  if (list->kind != JsonValue::Kind::array || !std::all_of(list->items.begin(), list->items.end(), whole)) {
    reader.add_problem(fmt::format("{} is {}, expected a list of layers", key, shown_value(*list)));
    return listed;
  }
  for (const JsonValue& item : list->items) listed.push_back(std::stoll(item.text));
  return listed;
}

// Layers are dense where mlp_only_layers names them, or decoder_sparse_step does not divide their number + 1.
void read_qwen3_layers(ConfigReader& reader, std::int64_t num_layers, MixtureRule& mixture) {
  const std::int64_t step = reader.whole("decoder_sparse_step", 1, kMostLayers, 1);
  const std::vector<std::int64_t> dense = layers_listed(reader, "mlp_only_layers");
  std::vector<bool> layers(static_cast<std::size_t>(num_layers));
  for (std::int64_t n = 0; n < num_layers; ++n) {
    const bool listed = std::find(dense.begin(), dense.end(), n) != dense.end();
    layers[static_cast<std::size_t>(n)] = !listed && (n + 1) % step == 0;
  }
  if (std::find(layers.begin(), layers.end(), false) != layers.end()) mixture.layers = std::move(layers);
}

}  // namespace

// models/mixtral (Jiang et al. 2024): of every token the two experts of largest probability.
Family mixtral() {
  Family row = mistral();
  row.fixed.family = "mixtral";
  row.model_types = {"mixtral"};
  row.keys.norm_eps.otherwise = 1e-5;
  row.rotary.theta.otherwise = 1e6;
  row.window = WindowKeys{};
  row.names.gate = row.names.up = row.names.down = "";
  row.names.router = "block_sparse_moe.gate";
  row.names.experts = "block_sparse_moe.experts.";
  row.names.expert_gate = "w1";
  row.names.expert_up = "w3";
  row.names.expert_down = "w2";
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    MixtureRule mixture = mixture_of(reader, {"num_local_experts", 8}, {"num_experts_per_tok", 2});
    mixture.width = architecture.mlp_width;
    architecture.mixture = std::move(mixture);
  };
  return row;
}

// models/qwen3_moe (Yang et al. 2025): many small experts; some layers may have an MLP instead. A window is one of all
// layers.
Family qwen3_moe() {
  Family row = qwen3();
  row.fixed.family = "qwen3_moe";
  row.model_types = {"qwen3_moe"};
  row.keys.d_model.otherwise = 2048;
  row.keys.num_layers.otherwise = 24;
  row.keys.num_kv_heads.otherwise = 4;
  row.keys.head_dim.otherwise = {};
  row.keys.mlp_width.otherwise = 6144;
  row.window = {};
  row.names.router = "mlp.gate";
  row.names.experts = "mlp.experts.";
  row.names.expert_gate = "gate_proj";
  row.names.expert_up = "up_proj";
  row.names.expert_down = "down_proj";
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    MixtureRule mixture = mixture_of(reader, {"num_experts", 128}, {"num_experts_per_tok", 8});
    mixture.width = reader.whole("moe_intermediate_size", 1, kMostFeatures, 768);
    mixture.renormalised = reader.truth("norm_topk_prob", false);
    read_qwen3_layers(reader, architecture.num_layers, mixture);
    architecture.mixture = std::move(mixture);
    if (!reader.truth("use_sliding_window", false) || reader.holds_null("sliding_window")) return;
    architecture.sliding_window = reader.whole("sliding_window", 1, std::int64_t{1} << 40, 4096);
  };
  return row;
}

// models/gpt_oss (OpenAI 2025): learned sinks, a window in every other layer, experts with biases and held-in gates.
Family gpt_oss() {
  Family row = llama();
  row.fixed.family = "gpt_oss";
  row.fixed.qkv_bias = row.fixed.output_bias = true;
  row.fixed.sinks = true;
  row.model_types = {"gpt_oss"};
  row.keys.vocab_size.otherwise = 201088;
  row.keys.d_model.otherwise = 2880;
  row.keys.num_layers.otherwise = 36;
  row.keys.num_heads.otherwise = 64;
  row.keys.num_kv_heads.otherwise = 8;
  row.keys.head_dim.otherwise = 64;
  row.keys.mlp_width.otherwise = 2880;
  row.keys.max_positions.otherwise = 131072;
  row.keys.norm_eps.otherwise = 1e-5;
  row.biases = {.projections = "attention_bias"};
  row.rotary.theta.otherwise = 150000;
  row.window = WindowKeys{.otherwise = 128, .layers_differ = true, .full_every = 2};
  row.names.gate = row.names.up = row.names.down = "";
  row.names.sinks = "self_attn.sinks";
  row.names.router = "mlp.router";
  row.names.stacked_gate_up = "mlp.experts.gate_up_proj";
  row.names.stacked_down = "mlp.experts.down_proj";
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    MixtureRule mixture = mixture_of(reader, {"num_local_experts", 128}, {"num_experts_per_tok", 4});
    mixture.width = architecture.mlp_width;
    mixture.router_bias = mixture.expert_bias = true;
    mixture.clamp = MixtureRule::Clamp{.limit = reader.positive("swiglu_limit", 7), .slope = 1.702};
    architecture.mixture = std::move(mixture);
    if (reader.find("rope_scaling") == nullptr && reader.find("rope_parameters") == nullptr &&
        !reader.holds_null("rope_scaling")) {
      reader.add_problem("rope_scaling is missing, expected an object, or null for none");
    }
  };
  return row;
}

}  // namespace headscope
