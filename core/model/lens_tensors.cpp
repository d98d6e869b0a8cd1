#include "core/model/lens_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/json_values.h"
#include "core/model/stored_layout.h"
#include "core/model/tensor_names.h"

namespace headscope {
namespace {

using Kind = StoredLayout::Kind;

struct LensTensor {
  const char* theirs;
  const char* ours;
  StoredLayout layout = {};
  bool in_layer = true;  // behind "blocks.N."
};

constexpr LensTensor kTensors[] = {
    {"embed.W_E", "embed.W_E.weight", {}, false},
    {"pos_embed.W_pos", "pos_embed.W_pos.weight", {}, false},
    {"ln_final.w", "ln_final.weight", {}, false},
    {"ln_final.b", "ln_final.bias", {}, false},
    {"unembed.W_U", "unembed.W_U.weight", {Kind::in_out}, false},
    {"unembed.b_U", "unembed.W_U.bias", {}, false},
    {"ln1.w", "ln1.weight"},
    {"ln1.b", "ln1.bias"},
    {"ln2.w", "ln2.weight"},
    {"ln2.b", "ln2.bias"},
    {"attn.W_Q", "attn.W_Q.weight", {Kind::heads_in_out}},
    {"attn.b_Q", "attn.W_Q.bias", {Kind::heads}},
    {"attn.W_K", "attn.W_K.weight", {Kind::heads_in_out}},
    {"attn.b_K", "attn.W_K.bias", {Kind::heads}},
    {"attn.W_V", "attn.W_V.weight", {Kind::heads_in_out}},
    {"attn.b_V", "attn.W_V.bias", {Kind::heads}},
    // Of heads that share keys and values.
    {"attn._W_K", "attn.W_K.weight", {Kind::heads_in_out}},
    {"attn._b_K", "attn.W_K.bias", {Kind::heads}},
    {"attn._W_V", "attn.W_V.weight", {Kind::heads_in_out}},
    {"attn._b_V", "attn.W_V.bias", {Kind::heads}},
    {"attn.W_O", "attn.W_O.weight", {Kind::heads_in_out, true}},
    {"attn.b_O", "attn.W_O.bias"},
    {"mlp.W_gate", "mlp.W_gate.weight", {Kind::in_out}},
    {"mlp.W_in", "mlp.W_in.weight", {Kind::in_out}},
    {"mlp.b_in", "mlp.W_in.bias"},
    {"mlp.W_out", "mlp.W_out.weight", {Kind::in_out}},
    {"mlp.b_out", "mlp.W_out.bias"},
};

// Before the names of the tensors; nullopt where there are none.
std::optional<std::string> prefix_of(const WeightFiles& files) {
  for (const std::string_view prefix : body_prefixes()) {
    const std::string before(prefix);
    if (files.find(before + "embed.W_E") != nullptr && files.find(before + "blocks.0.attn.W_Q") != nullptr) {
      return before;
    }
  }
  return std::nullopt;
}

// A vector that no file holds.
void put_constant(WeightFiles& files, const std::string& name, float value, std::int64_t count) {
  if (files.find(name) != nullptr) return;
  TensorEntry entry{fmt::format("{} (all {})", name, value), "F32", {count}, 0};
  files.put({std::move(entry),
             {},
             [value, count](bool) {
               return Tensor::of({count}, {Axis::feature}, std::vector<float>(static_cast<std::size_t>(count), value));
             }},
            name);
}

void put_norm(WeightFiles& files, const std::string& name, const Architecture& architecture) {
  put_constant(files, name + ".weight", 1, architecture.d_model);
  if (architecture.norm == Architecture::Norm::layer) put_constant(files, name + ".bias", 0, architecture.d_model);
}

std::string in_layer(std::int64_t layer, const char* name) {
  return fmt::format("blocks.{}.{}", layer, name);
}

// The sizes of a tensor, as many as its name has; zeros where it is missing or has others.
std::vector<std::int64_t> sizes_of(const WeightFiles& files, const std::string& name, std::size_t axes) {
  const WeightFiles::Place* place = files.find(name);
  if (place == nullptr || place->entry->shape.size() != axes) return std::vector<std::int64_t>(axes, 0);
  return place->entry->shape;
}

std::int64_t layers_of(const WeightFiles& files, const std::string& prefix) {
  std::int64_t layers = 0;
  for (const auto& [name, place] : files.all()) {
    const LayeredName parts = layered_name(name);
    if (parts.before == prefix + "blocks.") layers = std::max<std::int64_t>(layers, parts.layer + 1);
  }
  return layers;
}

// A value of JSON as text, which is no list and no object.
std::string shown(const JsonValue& value) {
  if (value.kind == JsonValue::Kind::string) return fmt::format("\"{}\"", value.text);
  if (value.kind == JsonValue::Kind::boolean) return value.truth ? "true" : "false";
  return value.text;
}

}  // namespace

TensorNames lens_names() {
  return {.word = "embed.W_E",
          .position = "pos_embed.W_pos",
          .layer = "blocks.",
          .attention_norm = "ln1",
          .query = "attn.W_Q",
          .key = "attn.W_K",
          .value = "attn.W_V",
          .output = "attn.W_O",
          .mlp_norm = "ln2",
          .gate = "mlp.W_gate",
          .up = "mlp.W_in",
          .down = "mlp.W_out",
          .final_norm = "ln_final",
          .decoder = "unembed.W_U",
          .decoder_bias = "unembed.W_U.bias"};
}

bool holds_lens_tensors(const WeightFiles& files) {
  return prefix_of(files).has_value();
}

namespace {

// Takes the prefix off all names, so that a tensor of a layer is known to be one.
void drop_prefix(WeightFiles& files, const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& [name, place] : files.all()) {
    if (!prefix.empty() && name.starts_with(prefix)) names.push_back(name);
  }
  for (const std::string& name : names) {
    const WeightFiles::Place place = *files.find(name);
    TensorEntry entry = *place.entry;
    entry.name = name.substr(prefix.size());
    const auto read = [place](bool two_bytes) {
      return two_bytes ? place.file->weight(*place.entry) : place.file->tensor(*place.entry);
    };
    files.put({std::move(entry), {name}, read});
  }
}

}  // namespace

void arrange_lens_tensors(WeightFiles& files, const Architecture& architecture, const std::string& what) {
  drop_prefix(files, prefix_of(files).value_or(""));
  const auto lay = [&](const LensTensor& row, const std::string& theirs, const std::string& ours) {
    if (files.find(theirs) == nullptr) return;
    if (row.layout.kind == Kind::out_in) {  // it stands as it is used
      files.name_also(ours, theirs);
      return;
    }
    const std::string problem = lay_out(files, theirs, row.layout, ours);
    if (!problem.empty()) throw Error(fmt::format("{}: {}", what, problem));
  };
  for (const LensTensor& row : kTensors) {
    if (!row.in_layer) lay(row, row.theirs, row.ours);
    for (std::int64_t layer = 0; row.in_layer && layer < architecture.num_layers; ++layer) {
      lay(row, in_layer(layer, row.theirs), in_layer(layer, row.ours));
    }
  }
  if (architecture.mlp != Architecture::Mlp::gated || !architecture.mlp_bias) return;
  for (std::int64_t layer = 0; layer < architecture.num_layers; ++layer) {
    put_constant(files, in_layer(layer, "mlp.W_gate.bias"), 0, architecture.mlp_width);
  }
}

void arrange_folded_lens_tensors(WeightFiles& files, const Architecture& architecture, const std::string& what) {
  arrange_lens_tensors(files, architecture, what);
  for (const char* norm : {"ln_final.w", "blocks.0.ln1.w", "blocks.0.ln2.w"}) {
    if (files.find(norm) == nullptr) continue;
    throw Error(
        fmt::format("{}: holds {}, and its norms were folded, as normalization_type says; expected LN or RMS "
                    "there, or a state_dict without weights of norms",
                    what, norm));
  }
  put_norm(files, "ln_final", architecture);
  for (std::int64_t layer = 0; layer < architecture.num_layers; ++layer) {
    put_norm(files, in_layer(layer, "ln1"), architecture);
    if (architecture.mlp != Architecture::Mlp::none) put_norm(files, in_layer(layer, "ln2"), architecture);
  }
}

// HookedTransformer.from_pretrained() changes neither embeddings nor norms of these: GPT-J's keys, Gemma's norms and
// OPT's positions are not as their families have them.
constexpr std::array<std::string_view, 5> kTakenOver = {"gpt2", "gpt_neox", "llama", "mistral", "qwen2"};

void read_as_lens(ModelConfig& config, const WeightFiles& files, const std::string& what) {
  Architecture& architecture = config.architecture;
  if (std::find(kTakenOver.begin(), kTakenOver.end(), architecture.family) == kTakenOver.end()) {
    throw Error(fmt::format(
        "{}: holds a state_dict of TransformerLens, which is read of {} beside their config.json, and not of {}; "
        "expected json.dump(model.cfg.to_dict()) as its config.json",
        what, fmt::join(kTakenOver, ", "), architecture.family));
  }
  const std::string prefix = prefix_of(files).value_or("");
  const auto has = [&](const char* name) { return files.find(prefix + name) != nullptr; };
  const auto arrange = has("blocks.0.ln1.w") ? arrange_lens_tensors : arrange_folded_lens_tensors;
  const auto rows = families();
  config.family = &*std::find_if(
      rows.begin(), rows.end(), [&](const Family& row) { return row.arrange == arrange && *row.names.attention_norm; });
  architecture.fused_rows = Architecture::FusedRows::blocked;
  architecture.qkv_bias = architecture.output_bias = architecture.mlp_bias = architecture.decoder_bias = true;
  architecture.tied_embeddings = config.tied_by_file = false;
  // Heads that share keys have them as _W_K, unless each was given its own.
  if (has("blocks.0.attn.W_K")) architecture.num_kv_heads = architecture.num_heads;
}

JsonValue lens_config(const WeightFiles& files, const std::string& what) {
  const std::string prefix = prefix_of(files).value_or("");
  const auto has = [&](const char* name) { return files.find(prefix + name) != nullptr; };
  const auto words = sizes_of(files, prefix + "embed.W_E", 2),
             positions = sizes_of(files, prefix + "pos_embed.W_pos", 2),
             queries = sizes_of(files, prefix + "blocks.0.attn.W_Q", 3),
             inner = sizes_of(files, prefix + "blocks.0.mlp.W_in", 2);
  JsonValue config;
  const auto add = [&](const char* key, std::int64_t value) { set(config, key, json_number(std::to_string(value))); };
  set(config, "model_type", json_text("transformer_lens"));
  add("n_layers", layers_of(files, prefix));
  add("d_model", words[1]);
  add("n_heads", queries[0]);
  add("d_head", queries[2]);
  add("d_vocab", words[0]);
  const auto keys = sizes_of(files, prefix + "blocks.0.attn._W_K", 3);
  if (keys[0] > 0) add("n_key_value_heads", keys[0]);
  std::vector<const char*> missing;
  if (positions[0] > 0) {
    add("n_ctx", positions[0]);
  } else {
    missing.insert(missing.end(), {"n_ctx", "positional_embedding_type"});
  }
  if (inner[1] > 0) {
    add("d_mlp", inner[1]);
    set(config, "gated_mlp", json_truth(has("blocks.0.mlp.W_gate")));
    missing.push_back("act_fn");
  } else {
    set(config, "attn_only", json_truth(true));
  }
  if (has("blocks.0.ln1.w")) {
    set(config, "normalization_type", json_text(has("blocks.0.ln1.b") ? "LN" : "RMS"));
  } else {
    missing.push_back("normalization_type");
  }
  if (missing.empty()) return config;
  std::string text;
  for (std::size_t k = 0; k < config.keys.size(); ++k) {
    text += fmt::format("{}\"{}\": {}", k == 0 ? "" : ", ", config.keys[k], shown(config.items[k]));
  }
  throw Error(
      fmt::format("{}: holds a state_dict of TransformerLens, which does not say {}; expected a config.json beside it, "
                  "as json.dump("
                  "model.cfg.to_dict()) writes it, or with these keys more than {{{}}}",
                  what, fmt::join(missing, ", "), text));
}

}  // namespace headscope
