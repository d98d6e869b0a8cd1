#include "core/model/model_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/model/config_reader.h"
#include "core/model/rotary_config.h"
#include "core/tensor/parts.h"

namespace headscope {

const char* activation_name(Architecture::Activation activation) {
  switch (activation) {
    case Architecture::Activation::gelu:
      return "gelu";
    case Architecture::Activation::gelu_tanh:
      return "gelu_tanh";
    case Architecture::Activation::silu:
      return "silu";
    case Architecture::Activation::relu:
      return "relu";
  }
  return "";
}

namespace {

// Above what any model has, and small enough that products of two stay far from overflow.
constexpr std::int64_t kMostLayers = 10'000;
constexpr std::int64_t kMostFeatures = 1 << 24;

const Family& family_of(ConfigReader& reader, const std::string& what) {
  for (const Family& row : families()) {
    const auto holds = [&reader](std::string_view key) { return reader.find(key) != nullptr; };
    if (!row.marks.empty() && std::all_of(row.marks.begin(), row.marks.end(), holds)) return row;
  }
  const std::string type = reader.text("model_type", "");
  std::vector<std::string_view> known;
  for (const Family& row : families()) {
    for (const std::string_view name : row.model_types) {
      if (name == type) return row;
      known.push_back(name);
    }
  }
  throw Error(fmt::format("{}: model_type is {}; expected one of {}", what, type.empty() ? "missing" : in_quotes(type),
                          fmt::join(known, ", ")));
}

Architecture::Activation activation_of(ConfigReader& reader, const char* key, Architecture::Activation otherwise) {
  using Activation = Architecture::Activation;
  const std::string name = reader.text(key, "");
  if (name.empty()) return otherwise;
  if (name == "gelu") return Activation::gelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_tanh") return Activation::gelu_tanh;
  if (name == "silu" || name == "swish") return Activation::silu;
  if (name == "relu") return Activation::relu;
  reader.add_problem(
      fmt::format("{} is {}, expected gelu, gelu_new, gelu_pytorch_tanh, silu or relu", key, in_quotes(name)));
  return otherwise;
}

std::int64_t whole(ConfigReader& reader, const ConfigNumber& number, std::int64_t least, std::int64_t most) {
  std::optional<std::int64_t> otherwise;
  if (number.otherwise && !reader.holds_null(number.key)) otherwise = static_cast<std::int64_t>(*number.otherwise);
  return reader.whole(number.key, least, most, otherwise);
}

// The same of a number that null, and a missing default, leave to a rule.
std::int64_t whole_or(ConfigReader& reader, const ConfigNumber& number, std::int64_t most, std::int64_t rule) {
  const bool has_default = number.otherwise && !reader.holds_null(number.key);
  return reader.whole(number.key, 1, most, has_default ? static_cast<std::int64_t>(*number.otherwise) : rule);
}

void read_sizes(ConfigReader& reader, const Family& family, Architecture& architecture) {
  const ConfigKeys& keys = family.keys;
  architecture.vocab_size = whole(reader, keys.vocab_size, 1, kMostFeatures);
  architecture.d_model = whole(reader, keys.d_model, 1, kMostFeatures);
  architecture.num_layers = whole(reader, keys.num_layers, 1, kMostLayers);
  architecture.num_heads = whole(reader, keys.num_heads, 1, kMostFeatures);
  const bool sizes_known = reader.problems().empty();
  architecture.num_kv_heads = whole_or(reader, keys.num_kv_heads, kMostFeatures, architecture.num_heads);
  architecture.max_positions = whole(reader, keys.max_positions, 1, std::int64_t{1} << 40);
  if (reader.find(keys.head_dim.key) != nullptr || (keys.head_dim.otherwise && !reader.holds_null(keys.head_dim.key))) {
    architecture.head_dim = whole(reader, keys.head_dim, 1, kMostFeatures);
  } else {
    architecture.head_dim = architecture.d_model / architecture.num_heads;
    if (sizes_known && architecture.d_model % architecture.num_heads != 0) {
      reader.add_problem(fmt::format("{} is {}, which {} {} does not divide", keys.d_model.key, architecture.d_model,
                                     keys.num_heads.key, architecture.num_heads));
    }
  }
  if (sizes_known && architecture.num_heads % architecture.num_kv_heads != 0) {
    reader.add_problem(fmt::format("{} is {}, which {} {} does not divide", keys.num_heads.key, architecture.num_heads,
                                   keys.num_kv_heads.key, architecture.num_kv_heads));
  }
  if (architecture.num_heads * architecture.head_dim > kMostFeatures) {
    reader.add_problem(fmt::format("{} heads of {} features are more than {}", architecture.num_heads,
                                   architecture.head_dim, kMostFeatures));
  }
  if (architecture.mlp != Architecture::Mlp::none) {
    architecture.mlp_width = whole_or(reader, keys.mlp_width, kMostFeatures, 4 * architecture.d_model);
  }
  if (*keys.token_types.key) architecture.token_types = whole(reader, keys.token_types, 1, kMostFeatures);
}

void read_biases(ConfigReader& reader, const BiasKeys& keys, Architecture& architecture) {
  if (*keys.everywhere) {
    const bool there = reader.truth(keys.everywhere, true);
    architecture.qkv_bias = architecture.output_bias = architecture.mlp_bias = architecture.norm_bias = there;
  }
  if (*keys.projections) {
    architecture.qkv_bias = architecture.output_bias = reader.truth(keys.projections, architecture.qkv_bias);
  }
  if (*keys.mlp) architecture.mlp_bias = reader.truth(keys.mlp, architecture.mlp_bias);
}

void read_refused(ConfigReader& reader, const Family& family) {
  for (const Refusal& refusal : family.refused) {
    const JsonValue* value = reader.find(refusal.key);
    if (value == nullptr) continue;
    const std::string shown = value->kind == JsonValue::Kind::string ? value->text : shown_value(*value);
    if (std::find(refusal.allowed.begin(), refusal.allowed.end(), shown) != refusal.allowed.end()) continue;
    reader.add_problem(fmt::format("{} is {}, which is not implemented; expected {}", refusal.key, shown_value(*value),
                                   fmt::join(refusal.allowed, " or ")));
  }
}

// Nothing where every layer sees everything; a problem where layers differ.
std::optional<std::int64_t> window_of(ConfigReader& reader, const WindowKeys& keys, std::int64_t num_layers) {
  if (keys.switched && !reader.truth("use_sliding_window", false)) return {};
  if (reader.holds_null("sliding_window")) return {};
  const std::int64_t window = reader.whole("sliding_window", 1, std::int64_t{1} << 40, keys.otherwise);
  std::int64_t windowed = num_layers;
  if (const JsonValue* types = reader.find("layer_types"); types != nullptr) {
    windowed = 0;
    for (const JsonValue& type : types->items) windowed += type.text == "sliding_attention" ? 1 : 0;
  } else if (keys.switched) {
    windowed = num_layers - std::min(num_layers, reader.whole("max_window_layers", 0, kMostLayers, 28));
  }
  if (windowed == 0) return {};
  if (windowed < num_layers) {
    reader.add_problem(fmt::format(
        "{} of {} layers have a sliding window, which is not implemented; expected all or none", windowed, num_layers));
  }
  return window;
}

// Meta's rule: two thirds of 4 d_model, rounded up to a multiple.
std::int64_t swiglu_width(ConfigReader& reader, std::int64_t d_model) {
  const std::int64_t multiple = reader.whole("multiple_of", 1, kMostFeatures, 256);
  const std::int64_t width = 8 * d_model / 3;
  return rounded_up(width, multiple);
}

// What single families say in their own way.
void read_particulars(ConfigReader& reader, const Family& family, Architecture& architecture) {
  using Activation = Architecture::Activation;
  const std::string& name = family.fixed.family;
  if (name == "gpt2" && !reader.truth("scale_attn_weights", true)) architecture.score_scale = 1.0;
  if (name == "nanogpt") {
    // nanoGPT since it has `bias` uses the exact gelu; before, and in minGPT, it is the approximation.
    architecture.activation = activation_of(reader, family.keys.activation,
                                            reader.find("bias") != nullptr ? Activation::gelu : Activation::gelu_tanh);
  }
  if (name == "attention_only") architecture.causal = reader.truth("is_decoder", false);
  if (name == "roberta") {
    const std::int64_t rows = architecture.max_positions;
    architecture.position_offset = reader.whole("pad_token_id", 0, kMostFeatures, 1) + 1;
    architecture.max_positions = rows - architecture.position_offset;
    if (architecture.max_positions < 1) {
      reader.add_problem(fmt::format("max_position_embeddings is {}, expected more than pad_token_id + 1, {}", rows,
                                     architecture.position_offset));
    }
    architecture.head_activation = Activation::gelu;
  }
  if (name == "gemma") {
    // The first files said hidden_act "gelu" and meant the approximation, which hidden_activation then said.
    const bool first_files = reader.find("hidden_activation") == nullptr && reader.text("hidden_act", "gelu") == "gelu";
    architecture.activation =
        first_files
            ? Activation::gelu_tanh
            : activation_of(reader, reader.find("hidden_activation") != nullptr ? "hidden_activation" : "hidden_act",
                            Activation::gelu_tanh);
    architecture.embedding_scale = std::sqrt(static_cast<float>(architecture.d_model));
  }
  if (name == "llama2c" && reader.find(family.keys.mlp_width.key) == nullptr) {
    architecture.mlp_width = swiglu_width(reader, architecture.d_model);
  }
}

}  // namespace

ModelConfig model_config_of(const JsonValue& config, const std::string& what) {
  if (config.kind != JsonValue::Kind::object) {
    throw Error(
        fmt::format("{}: found {}; expected an object, a model's configuration", what, json_kind_name(config.kind)));
  }
  ConfigReader reader(config);
  const Family& family = family_of(reader, what);
  ModelConfig result{family.fixed, &family};
  Architecture& architecture = result.architecture;
  read_sizes(reader, family, architecture);
  read_biases(reader, family.biases, architecture);
  read_refused(reader, family);
  architecture.norm_eps = reader.positive(family.keys.norm_eps.key, family.keys.norm_eps.otherwise);
  if (*family.keys.activation) {
    architecture.activation = activation_of(reader, family.keys.activation, architecture.activation);
  }
  architecture.head_activation = architecture.activation;
  architecture.tied_embeddings = reader.truth("tie_word_embeddings", family.tied != Family::Tied::no);
  result.tied_by_file = family.tied == Family::Tied::by_file && reader.find("tie_word_embeddings") == nullptr;
  if (family.window) architecture.sliding_window = window_of(reader, *family.window, architecture.num_layers);
  if (architecture.position == Architecture::Position::rotary) {
    architecture.rotary = rotary_rule_of(reader, architecture.head_dim, family.pairs);
  }
  if (architecture.head_norm) architecture.head_norm_eps = architecture.norm_eps;
  if (reader.find("quantization_config") != nullptr) {
    reader.add_problem("it has a quantization_config; expected weights in F32, F16 or BF16");
  }
  read_particulars(reader, family, architecture);
  if (!reader.problems().empty()) {
    throw Error(fmt::format("{}: {} of a {} model {} not fit: {}", what,
                            reader.problems().size() == 1 ? "a value" : "values", architecture.family,
                            reader.problems().size() == 1 ? "does" : "do", first_ten(reader.problems(), "; ")));
  }
  return result;
}

}  // namespace headscope
