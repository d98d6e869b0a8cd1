#include "core/model/model_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/model/config_reader.h"
#include "core/model/config_values.h"
#include "core/model/draft_heads.h"
#include "core/model/near_family.h"
#include "core/model/rotary_config.h"

namespace headscope {
namespace {

// `otherwise` is the type of a configuration that does not say its own.
const Family& family_of(ConfigReader& reader, const std::string& what, std::string_view otherwise) {
  for (const Family& row : families()) {
    const auto holds = [&reader](std::string_view key) { return reader.find(key) != nullptr; };
    const bool marked = !row.marks.empty() && std::all_of(row.marks.begin(), row.marks.end(), holds);
    if (marked && (row.applies == nullptr || row.applies(reader))) return row;
  }
  const std::string type = reader.text("model_type", otherwise);
  for (const Family& row : families()) {
    for (const std::string_view name : row.model_types) {
      if (name == type && (row.applies == nullptr || row.applies(reader))) return row;
    }
  }
  const JsonValue* inner = reader.find("text_config");
  const auto has = [&](std::string_view key) {
    return reader.find(key) != nullptr ||
           (inner != nullptr && inner->kind == JsonValue::Kind::object && inner->find(key) != nullptr);
  };
  const std::string shown = (type.empty() ? "missing" : in_quotes(type)) + nearest_sentence(type, has);
  throw Error(
      fmt::format("{}: model_type is {}. Expected one of {} types (headscope-cli info --families lists them), or a "
                  "headscope-map.json beside it, which says what the model is made of: headscope-cli info FOLDER "
                  "--map-draft FILE writes a draft",
                  what, shown, family_types().size()));
}

// The configuration of a model inside of a larger one, or the configuration itself.
struct ConfigPart {
  const JsonValue& config;
  std::string_view type;  // of a part that does not say its own; "" of the whole
};

ConfigPart part_of(const JsonValue& config, Tower tower) {
  const JsonValue* type = config.find("model_type");
  if (type == nullptr) return {config, ""};
  const auto part = [&](bool image) -> std::optional<ConfigPart> {
    const JsonValue* inner = config.find(image ? "vision_config" : "text_config");
    if (inner == nullptr || inner->kind != JsonValue::Kind::object) return std::nullopt;
    for (const Family& row : families()) {
      if (row.fixed.image.has_value() != image) continue;
      const bool wrapped = std::find(row.wrappers.begin(), row.wrappers.end(), type->text) != row.wrappers.end();
      if (wrapped) return ConfigPart{*inner, row.model_types.front()};
    }
    return std::nullopt;
  };
  if (tower == Tower::image) {
    if (const auto image = part(true)) return *image;
  }
  return part(false).value_or(ConfigPart{config, ""});
}

Tower tower_of(const Family& family) {
  const bool image = family.fixed.image || family.fixed.part == Architecture::Part::pool;
  return image ? Tower::image : Tower::text;
}

const char* key_of(const ConfigReader& reader, const ConfigNumber& number) {
  const bool only_older = reader.find(number.key) == nullptr && reader.find(number.older) != nullptr;
  return only_older ? number.older : number.key;
}

std::int64_t whole_of_config(ConfigReader& reader, const ConfigNumber& number, std::int64_t least, std::int64_t most) {
  const char* key = key_of(reader, number);
  std::optional<std::int64_t> otherwise;
  if (number.otherwise && !reader.holds_null(key)) otherwise = static_cast<std::int64_t>(*number.otherwise);
  return reader.whole(key, least, most, otherwise);
}

// The same of a number that null, and a missing default, leave to a rule.
std::int64_t whole_or(ConfigReader& reader, const ConfigNumber& number, std::int64_t most, std::int64_t rule) {
  const char* key = key_of(reader, number);
  const bool has_default = number.otherwise && !reader.holds_null(key);
  return reader.whole(key, 1, most, has_default ? static_cast<std::int64_t>(*number.otherwise) : rule);
}

void read_sizes(ConfigReader& reader, const Family& family, Architecture& architecture) {
  const ConfigKeys& keys = family.keys;
  architecture.vocab_size = whole_of_config(reader, keys.vocab_size, 1, kMostFeatures);
  architecture.d_model = whole_of_config(reader, keys.d_model, 1, kMostFeatures);
  architecture.num_layers = whole_of_config(reader, keys.num_layers, 1, kMostLayers);
  architecture.num_heads = whole_of_config(reader, keys.num_heads, 1, kMostFeatures);
  const bool sizes_known = reader.problems().empty();
  architecture.num_kv_heads = whole_or(reader, keys.num_kv_heads, kMostFeatures, architecture.num_heads);
  architecture.max_positions = whole_of_config(reader, keys.max_positions, 1, std::int64_t{1} << 40);
  if (reader.find(keys.head_dim.key) != nullptr || (keys.head_dim.otherwise && !reader.holds_null(keys.head_dim.key))) {
    architecture.head_dim = whole_of_config(reader, keys.head_dim, 1, kMostFeatures);
    if (*keys.more_head_dim.key) architecture.head_dim += whole_of_config(reader, keys.more_head_dim, 1, kMostFeatures);
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
  if (*keys.token_types.key) architecture.token_types = whole_of_config(reader, keys.token_types, 1, kMostFeatures);
  if (*keys.embedding_width.key)
    architecture.embedding_width = whole_of_config(reader, keys.embedding_width, 1, kMostFeatures);
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

// Which layers have the window, by layer_types or the family's rule.
std::vector<bool> windowed_layers(ConfigReader& reader, const WindowKeys& keys, std::int64_t num_layers) {
  std::vector<bool> windowed(static_cast<std::size_t>(num_layers), true);
  if (const JsonValue* types = reader.find("layer_types"); types != nullptr) {
    if (types->kind != JsonValue::Kind::array || types->items.size() != windowed.size()) {
      reader.add_problem(fmt::format("layer_types is {}, expected a list of {}", shown_value(*types), num_layers));
      return windowed;
    }
    for (std::size_t n = 0; n < windowed.size(); ++n) {
      const std::string& type = types->items[n].text;
      windowed[n] = type == "sliding_attention";
      if (windowed[n] || type == "full_attention") continue;
      reader.add_problem(
          fmt::format("layer_types has {}, which is not implemented; expected sliding_attention or "
                      "full_attention",
                      shown_value(types->items[n])));
      return windowed;
    }
    return windowed;
  }
  const std::int64_t first = keys.switched ? reader.whole("max_window_layers", 0, kMostLayers, 28) : 0;
  std::int64_t full_every = keys.full_every;
  if (*keys.full_every_key) full_every = reader.whole(keys.full_every_key, 1, kMostLayers, full_every);
  for (std::int64_t n = 0; n < num_layers; ++n) {
    const bool full = n < first || (full_every > 0 && (keys.full_first ? n : n + 1) % full_every == 0);
    windowed[static_cast<std::size_t>(n)] = !full;
  }
  return windowed;
}

// Architecture::sliding_window and windowed.
void read_window(ConfigReader& reader, const WindowKeys& keys, Architecture& architecture) {
  if (keys.switched && !reader.truth("use_sliding_window", false)) return;
  if (reader.holds_null(keys.key)) return;
  std::int64_t window = reader.whole(keys.key, 1, std::int64_t{1} << 40, keys.otherwise);
  if (window == 0) return;
  if (keys.breadth) window = window / 2 + 1;
  std::vector<bool> windowed = windowed_layers(reader, keys, architecture.num_layers);
  const auto count = std::count(windowed.begin(), windowed.end(), true);
  if (count == 0) return;
  architecture.sliding_window = window;
  if (count == architecture.num_layers) return;
  if (!keys.layers_differ) {
    reader.add_problem(
        fmt::format("{} of {} layers have a sliding window, which the reference does not compute; "
                    "expected all or none",
                    count, architecture.num_layers));
  }
  architecture.windowed = std::move(windowed);
}

// One id or a list. Those that are none of the vocabulary end nothing: no model ever chooses them.
std::vector<std::int64_t> tokens_of(const JsonValue* named, std::int64_t vocab_size) {
  std::vector<std::int64_t> ids;
  const auto add = [&](const JsonValue& value) {
    std::int64_t id = 0;
    const char* end = value.text.data() + value.text.size();
    const auto [at, failure] = std::from_chars(value.text.data(), end, id);
    const bool whole_of_config = value.kind == JsonValue::Kind::number && failure == std::errc() && at == end;
    if (whole_of_config && 0 <= id && id < vocab_size) ids.push_back(id);
  };
  if (named == nullptr) return ids;
  if (named->kind == JsonValue::Kind::array) {
    for (const JsonValue& item : named->items) add(item);
  } else {
    add(*named);
  }
  return ids;
}

}  // namespace

ModelConfig model_config_of(const JsonValue& config, const std::string& what, Tower tower) {
  if (config.kind != JsonValue::Kind::object) {
    throw Error(
        fmt::format("{}: found {}; expected an object, a model's configuration", what, json_kind_name(config.kind)));
  }
  if (const std::string_view head = draft_head(config); !head.empty()) {
    throw Error(fmt::format(
        "{}: architectures names {}, a draft head, which guesses tokens from the hidden states of another model and is "
        "no model by itself; expected that model",
        what, in_quotes(head)));
  }
  const ConfigPart part = part_of(config, tower);
  ConfigReader reader(part.config);
  return model_config_of(config, family_of(reader, what, part.type), what);
}

ModelConfig model_config_of(const JsonValue& config, const Family& family, const std::string& what) {
  const ConfigPart part = part_of(config, tower_of(family));
  ConfigReader reader(part.config);
  ModelConfig result{family.fixed, &family};
  Architecture& architecture = result.architecture;
  read_sizes(reader, family, architecture);
  read_biases(reader, family.biases, architecture);
  for (const Refusal& refusal : family.refused) refuse_unless_allowed(reader, refusal);
  architecture.norm_eps = reader.positive(family.keys.norm_eps.key, family.keys.norm_eps.otherwise);
  if (*family.keys.activation) {
    architecture.activation = activation_of(reader, family.keys.activation, architecture.activation);
  }
  architecture.head_activation = architecture.activation;
  architecture.tied_embeddings = reader.truth("tie_word_embeddings", family.tied != Family::Tied::no);
  result.tied_by_file = family.tied == Family::Tied::by_file && reader.find("tie_word_embeddings") == nullptr;
  if (family.window) read_window(reader, *family.window, architecture);
  if (architecture.position == Architecture::Position::rotary) {
    RotaryAsked asked{architecture.head_dim, family.pairs, family.rotary, false, architecture.max_positions};
    architecture.rotary = rotary_rule_of(reader, asked);
    asked.of_window = true;
    if (*family.rotary.window_theta.key) architecture.window_rotary = rotary_rule_of(reader, asked);
    architecture.max_positions = rotary_positions(reader, architecture.max_positions);
  }
  if (reader.find("quantization_config") != nullptr || config.find("quantization_config") != nullptr) {
    reader.add_problem(
        "it has a quantization_config (MXFP4, GPTQ, FP8 and the like), whose weights are not read; expected weights in "
        "F32, F16 or BF16");
  }
  if (family.makes_vectors) architecture.tied_embeddings = false;
  if (family.particulars != nullptr) family.particulars(reader, family, architecture);
  if (architecture.head_norm) architecture.head_norm_eps = architecture.norm_eps;
  const bool inside = reader.find("eos_token_id") != nullptr;  // of a text model inside of a larger one
  result.end_tokens =
      tokens_of(inside ? reader.find("eos_token_id") : config.find("eos_token_id"), architecture.vocab_size);
  const std::vector<std::int64_t> start = tokens_of(config.find("decoder_start_token_id"), architecture.vocab_size);
  if (start.size() == 1) result.start_token = start.front();
  if (!reader.problems().empty()) {
    throw Error(fmt::format("{}: {} of a {} model {} not fit: {}", what,
                            reader.problems().size() == 1 ? "a value" : "values", architecture.family,
                            reader.problems().size() == 1 ? "does" : "do", first_ten(reader.problems(), "; ")));
  }
  return result;
}

}  // namespace headscope
