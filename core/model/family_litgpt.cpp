// Rows of the table of families: LitGPT (lit-gpt), whose checkpoints have one layout for Llama, Pythia and others.
#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/model/config_reader.h"
#include "core/model/config_values.h"
#include "core/model/family_rows.h"
#include "core/model/weight_files.h"

namespace headscope {
namespace {

using Arch = Architecture;

// Rows [begin, end) of every group of rows of a matrix or of a bias.
struct GroupRows {
  const char* name;  // "queries", and of the module's tensor: "query"
  const char* ours;
  std::int64_t begin = 0, end = 0;
};

// Numbers of those rows, group by group.
Tensor rows_of_groups(const Tensor& all, std::int64_t in_group, const GroupRows& part) {
  const std::int64_t width = all.rank() > 1 ? all.dim(1) : 1, count = part.end - part.begin;
  const std::int64_t groups = all.dim(0) / in_group;
  std::vector<float> numbers(static_cast<std::size_t>(groups * count * width));
  for (std::int64_t g = 0; g < groups; ++g) {
    Region region{{g * in_group + part.begin, g * in_group + part.end}};
    if (all.rank() > 1) region.push_back({0, width});
    const auto size = static_cast<std::size_t>(count * width);
    all.read(region, std::span(numbers).subspan(static_cast<std::size_t>(g) * size, size));
  }
  if (all.rank() == 1) return Tensor::of({groups * count}, {Axis::feature}, std::move(numbers));
  return Tensor::of({groups * count, width}, {Axis::position, Axis::feature}, std::move(numbers));
}

// The fused projection of a layer: rows [q .. k v] of every group of heads that share a key (attn.attn), or in blocks
// [Q K V] (attn.qkv, since LitGPT 0.5.4).
void split_fused(WeightFiles& files, const std::string& name, std::int64_t in_group, const std::string& ours,
                 const std::vector<GroupRows>& parts) {
  const WeightFiles::Place place = *files.find(name);
  const std::vector<std::int64_t> shape = place.entry->shape;
  if (shape.empty() || shape.size() > 2 || shape[0] % in_group != 0) return;  // its shape is refused by name
  for (const GroupRows& part : parts) {
    TensorEntry entry = *place.entry;
    entry.name = fmt::format("{} ({})", name, part.name);
    entry.shape[0] = shape[0] / in_group * (part.end - part.begin);
    entry.bytes =
        place.entry->bytes / static_cast<std::size_t>(in_group) * static_cast<std::size_t>(part.end - part.begin);
    std::vector<std::string> of;
    if (&part == &parts.front()) of.push_back(name);
    const auto read = [place, in_group, part](bool) {
      return rows_of_groups(place.file->tensor(*place.entry), in_group, part);
    };
    files.put({std::move(entry), std::move(of), read}, ours + part.ours + name.substr(name.rfind('.')));
  }
}

void arrange_litgpt_tensors(WeightFiles& files, const Architecture& architecture, const std::string&) {
  const std::int64_t head = architecture.head_dim, heads = architecture.num_heads, groups = architecture.num_kv_heads;
  const std::int64_t shared = heads / groups;
  const std::vector<GroupRows> grouped = {{"queries", "query", 0, shared * head},
                                          {"keys", "key", shared * head, (shared + 1) * head},
                                          {"values", "value", (shared + 1) * head, (shared + 2) * head}};
  const std::vector<GroupRows> blocked = {{"queries", "query", 0, heads * head},
                                          {"keys", "key", heads * head, (heads + groups) * head},
                                          {"values", "value", (heads + groups) * head, (heads + 2 * groups) * head}};
  for (const std::string_view prefix : body_prefixes()) {
    for (std::int64_t layer = 0; layer < architecture.num_layers; ++layer) {
      const std::string before = fmt::format("{}h.{}.attn.", prefix, layer);
      for (const char* which : {"weight", "bias"}) {
        const std::string in_groups = before + "attn." + which, in_blocks = before + "qkv." + which;
        if (files.find(in_groups) != nullptr) split_fused(files, in_groups, (shared + 2) * head, before, grouped);
        if (files.find(in_blocks) != nullptr) {
          split_fused(files, in_blocks, (heads + 2 * groups) * head, before, blocked);
        }
      }
    }
  }
}

// The name of a class, which the first versions wrote with a stroke before it.
std::string class_of(ConfigReader& reader, const char* key, const char* older, const char* otherwise) {
  return reader.text(key, reader.text(older, otherwise));
}

std::string mlp_class(ConfigReader& reader) {
  return class_of(reader, "mlp_class_name", "_mlp_class", "GptNeoxMLP");
}

void read_litgpt_norm(ConfigReader& reader, Architecture& architecture) {
  const std::string norm = class_of(reader, "norm_class_name", "_norm_class", "LayerNorm");
  if (norm != "LayerNorm" && norm != "RMSNorm") {
    reader.add_problem(fmt::format("norm_class_name is {}, expected LayerNorm or RMSNorm", norm));
  }
  architecture.norm = norm == "RMSNorm" ? Arch::Norm::rms : Arch::Norm::layer;
  if (reader.text("name", "").find("emma") == std::string::npos) return;
  reader.add_problem("name is that of a Gemma, whose norms and MLPs are others; expected its folder of Hugging Face");
}

// Settings that ask for arithmetic that is not here.
std::vector<Refusal> refused_settings() {
  std::vector<Refusal> refused = {{"rope_condense_ratio", {"1"}}, {"n_expert", {"0"}}};
  for (const char* key : {"scale_embeddings", "post_attention_norm", "post_mlp_norm", "norm_qk", "latent_attention"}) {
    refused.push_back({key, {"false"}});
  }
  for (const char* key : {"attention_scores_scalar", "attention_logit_softcapping", "final_logit_softcapping",
                          "sliding_window_size", "rope_adjustments", "rope_local_base_freq"}) {
    refused.push_back({key, {"null"}});
  }
  return refused;
}

Family litgpt_of_all() {
  Family row;
  row.fixed.family = "litgpt";
  row.fixed.causal = true;
  row.fixed.position = Arch::Position::rotary;
  row.fixed.final_norm = true;
  row.fixed.mlp = Arch::Mlp::plain;
  row.fixed.decoder_bias = false;
  row.model_types = {"litgpt"};
  row.marks = {"padded_vocab_size", "n_layer", "n_embd", "block_size"};
  row.keys = {.vocab_size = {"padded_vocab_size", {}},
              .d_model = {"n_embd", {}},
              .num_layers = {"n_layer", {}},
              .num_heads = {"n_head", {}},
              .num_kv_heads = {"n_query_groups", {}},
              .head_dim = {"head_size", {}},
              .mlp_width = {"intermediate_size", {}},
              .max_positions = {"block_size", {}},
              .norm_eps = {"norm_eps", 1e-5}};
  row.names = {.word = "wte",
               .layer = "h.",
               .attention_norm = "norm_1",
               .query = "attn.query",
               .key = "attn.key",
               .value = "attn.value",
               .output = "attn.proj",
               .mlp_norm = "norm_2",
               .up = "mlp.fc",
               .down = "mlp.proj",
               .final_norm = "ln_f",
               .decoder = "lm_head",
               .decoder_bias = "lm_head.bias"};
  row.rotary = {.theta = {"rope_base", 10000}, .share = {"rotary_percentage", 0.25}};
  row.refused = refused_settings();
  row.particulars = [](ConfigReader& reader, const Family& family, Architecture& architecture) {
    read_litgpt_norm(reader, architecture);
    const std::string mlp = mlp_class(reader);
    if (mlp != "GptNeoxMLP" && mlp != "LLaMAMLP") {
      reader.add_problem(
          fmt::format("mlp_class_name is {}, which is not implemented; expected GptNeoxMLP or LLaMAMLP", mlp));
    }
    architecture.parallel = reader.truth("parallel_residual", true);
    architecture.shared_norm = reader.truth("shared_attention_norm", false);
    architecture.output_bias = architecture.mlp_bias = reader.truth("bias", true);
    architecture.qkv_bias = architecture.output_bias || reader.truth("attn_bias", false);
    architecture.decoder_bias = reader.truth("lm_head_bias", false);
    const bool gated = family.fixed.mlp == Arch::Mlp::gated;
    architecture.activation = gated ? Arch::Activation::silu : Arch::Activation::gelu;
    if (!gated && reader.text("gelu_approximate", "none") == "tanh")
      architecture.activation = Arch::Activation::gelu_tanh;
    if (gated && reader.find("intermediate_size") == nullptr) reader.add_problem("intermediate_size is missing");
    if (architecture.shared_norm && !architecture.parallel) {
      reader.add_problem("shared_attention_norm is true without parallel_residual, expected false");
    }
  };
  row.arrange = arrange_litgpt_tensors;
  return row;
}

}  // namespace

// https://github.com/Lightning-AI/litgpt, model.py: LLaMAMLP.
Family litgpt_gated() {
  Family row = litgpt_of_all();
  row.fixed.mlp = Arch::Mlp::gated;
  row.applies = [](ConfigReader& reader) { return mlp_class(reader) == "LLaMAMLP"; };
  row.names.gate = "mlp.fc_1";
  row.names.up = "mlp.fc_2";
  return row;
}

// The same with GptNeoxMLP.
Family litgpt() {
  return litgpt_of_all();
}

}  // namespace headscope
