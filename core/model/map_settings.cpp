#include "core/model/map_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/base/message_text.h"
#include "core/model/architecture_fields.h"
#include "core/model/rotary_config.h"

namespace headscope {

bool MappedTensors::named(const std::string& part, const char* which) const {
  return tensors_.find(fmt::format("{}.{}", part, which)) != nullptr;
}

std::vector<std::int64_t> MappedTensors::shape(const std::string& part) const {
  for (const char* prefix : {"", "layers.0."}) {
    const WeightFiles::Place* place = files_.find(fmt::format("{}{}.weight", prefix, part));
    if (place != nullptr) return place->entry->shape;
  }
  return {};
}

std::int64_t MappedTensors::dim(const std::string& part, std::size_t axis) const {
  const std::vector<std::int64_t> sizes = shape(part);
  return axis < sizes.size() ? sizes[axis] : 0;
}

namespace {

using Place = Architecture::NormPlace;

constexpr std::array kRotaryKeys = {"pairs",      "rope_theta",   "partial_rotary_factor",
                                    "rotary_dim", "rope_scaling", "rope_parameters"};

class SettingsReader {
 public:
  SettingsReader(const JsonValue& settings, const MappedTensors& tensors, Family& family)
      : reader_(settings), tensors_(tensors), family_(family) {}

  std::vector<std::string> read() {
    read_fields();
    if (reader_.problems().empty()) read_sizes();
    read_parts();
    check_norms();
    check_projections();
    read_rotary("rotary", architecture().rotary);
    if (reader_.find("window_rotary") != nullptr) read_rotary("window_rotary", architecture().window_rotary);
    read_window_layers();
    return reader_.problems();
  }

 private:
  Architecture& architecture() { return family_.fixed; }
  bool named(const char* part, const char* which) const { return tensors_.named(part, which); }
  bool names(const char* part) const { return tensors_.names(part); }
  bool says(const char* key) const { return reader_.find(key) != nullptr; }
  void wrong(std::string problem) { reader_.add_problem(std::move(problem)); }
  void read_fields();
  void read_sizes();
  void read_heads();
  void read_parts();
  void read_head_norms();
  void check_norms();
  void check_projections();
  void read_rotary(const char* key, std::optional<RotaryRule>& rule);
  void read_window_layers();

  ConfigReader reader_;
  const MappedTensors& tensors_;
  Family& family_;
};

void SettingsReader::read_fields() {
  for (const ArchitectureField& field : architecture_fields()) read_field(field, reader_, architecture());
  if (!says("norm_place") && !says("norm_first")) {
    wrong("norm_place is missing (before: x + f(norm(x)); after_sum: norm(x + f(x)); after; around)");
  }
  if (says("norm_place") && says("norm_first")) {
    wrong("norm_place and norm_first say where the norms of a layer stand, expected one of them");
  }
}

void SettingsReader::read_heads() {
  Architecture& a = architecture();
  if (a.num_heads < 1) return wrong("num_heads is 0, expected a whole number from 1 on");
  if (a.num_kv_heads == 0) a.num_kv_heads = a.num_heads;
  if (a.num_heads % a.num_kv_heads != 0) {
    return wrong(fmt::format("num_kv_heads is {}, which does not divide num_heads {}", a.num_kv_heads, a.num_heads));
  }
  if (a.head_dim == 0 && a.d_model % a.num_heads != 0) {
    return wrong(
        fmt::format("num_heads is {}, which does not divide the {} features of word.weight", a.num_heads, a.d_model));
  }
  if (a.head_dim == 0) a.head_dim = a.d_model / a.num_heads;
}

void SettingsReader::read_sizes() {
  Architecture& a = architecture();
  a.vocab_size = tensors_.dim("word", 0);
  a.d_model = tensors_.dim("word", 1);
  if (a.d_model < 1) return wrong("word.weight has not two axes; expected [vocab_size, d_model]");
  read_heads();
  const std::int64_t rows = tensors_.dim("position", 0);
  if (rows > 0) {
    a.position = Architecture::Position::learned;
    if (a.max_positions + a.position_offset != rows) {
      wrong(fmt::format("max_positions is {} and position_offset {}, but position.weight has {} rows", a.max_positions,
                        a.position_offset, rows));
    }
  }
  a.token_types = tensors_.dim("token_type", 0);
  if (names("down")) a.mlp_width = tensors_.dim("down", family_.in_out ? 0 : 1);
  if (a.max_positions < 1) wrong("max_positions is 0, expected a whole number from 1 on");
}

void SettingsReader::read_head_norms() {
  Architecture& a = architecture();
  a.head_norm = names("query_norm") || names("key_norm");
  if (!a.head_norm) return;
  if (!says("head_norm_eps")) a.head_norm_eps = a.norm_eps;
  const std::vector<std::int64_t> shape = tensors_.shape("query_norm");
  a.head_norm_own = shape.size() == 2;
  a.head_norm_whole = shape.size() == 1 && a.num_heads > 1 && shape[0] == a.num_heads * a.head_dim;
}

// What is there because tensors are.
void SettingsReader::read_parts() {
  Architecture& a = architecture();
  const auto bias = [this](const char* part) { return named(part, "bias"); };
  a.qkv_bias = bias("qkv") || bias("query") || bias("key") || bias("value");
  a.key_bias = bias("qkv") || bias("key") || !a.qkv_bias;
  a.output_bias = bias("output");
  a.mlp_bias = bias("up") || bias("down") || bias("gate") || bias("gate_up");
  a.norm_bias = bias("attention_norm") || bias("attention_norm_out");
  a.embedding_norm = names("embedding_norm");
  a.final_norm = names("final_norm");
  if (names("transform")) a.transform_bias = bias("transform");
  if (names("transform_norm")) a.transform_norm_bias = bias("transform_norm");
  a.sinks = names("sinks");
  read_head_norms();
  a.tied_embeddings = !named("decoder", "weight");
  if (a.tied_embeddings) family_.names.decoder = "decoder";
  a.mlp = names("gate") || names("gate_up") ? Architecture::Mlp::gated
          : names("up")                     ? Architecture::Mlp::plain
                                            : Architecture::Mlp::none;
  if (a.mlp != Architecture::Mlp::none && !says("activation")) wrong("activation is missing (of the MLP)");
  if (!says("head_activation")) a.head_activation = a.activation;
}

// Which norms a place has.
void SettingsReader::check_norms() {
  const Architecture& a = architecture();
  static constexpr std::array kPlaces = {"before", "after_sum", "after", "around"};
  const char* place = kPlaces[static_cast<std::size_t>(a.norm_place)];
  const bool mlp = a.mlp != Architecture::Mlp::none;
  const auto check = [&](const char* part, bool expected) {
    if (expected && !named(part, "weight")) {
      wrong(fmt::format("norm_place is {}, and the tensors have no {}.weight", place, part));
    } else if (!expected && names(part)) {
      wrong(fmt::format("norm_place is {}, which has no {}, but the tensors do", place, part));
    }
  };
  check("attention_norm", a.norm_place != Place::after);
  check("attention_norm_out", a.norms_result());
  if (!mlp && !names("mlp_norm") && !names("mlp_norm_out")) return;
  check("mlp_norm", a.norm_place != Place::after && !(a.parallel && !names("mlp_norm")));
  check("mlp_norm_out", a.norms_result());
  if (a.parallel && a.norm_place != Place::before) {
    wrong(fmt::format("norm_place is {} with parallel, which is not implemented; expected before", place));
  }
}

void SettingsReader::check_projections() {
  const Architecture& a = architecture();
  if (!says("fused_rows")) return;
  if (!names("qkv")) return wrong("fused_rows is of qkv, which the tensors do not have");
  if (a.fused_rows == Architecture::FusedRows::per_head && a.num_kv_heads > 0 && a.num_kv_heads != a.num_heads) {
    wrong(fmt::format("fused_rows is per_head with num_kv_heads {}, expected num_heads, {}, or grouped", a.num_kv_heads,
                      a.num_heads));
  }
}

// An object with "pairs" and the keys that config.json has for rotary positions.
void SettingsReader::read_rotary(const char* key, std::optional<RotaryRule>& rule) {
  const JsonValue* found = reader_.find(key);
  if (found == nullptr) return;
  Architecture& a = architecture();
  if (found->kind != JsonValue::Kind::object)
    return wrong(fmt::format("{} is {}, expected an object", key, shown_value(*found)));
  ConfigReader rotary(*found);
  for (const std::string& each : found->keys) {
    if (std::find(kRotaryKeys.begin(), kRotaryKeys.end(), each) != kRotaryKeys.end()) continue;
    rotary.add_problem(fmt::format("{} is no setting; expected {}", in_quotes(each), fmt::join(kRotaryKeys, ", ")));
  }
  const std::string pairs = rotary.text("pairs", "halves");
  if (pairs != "halves" && pairs != "neighbours") {
    rotary.add_problem(fmt::format("pairs is {}, expected halves or neighbours", in_quotes(pairs)));
  }
  if (a.position == Architecture::Position::learned) {
    rotary.add_problem("position.weight is named as well; expected one kind of positions");
  }
  a.position = Architecture::Position::rotary;
  if (a.head_dim > 0) {
    RotaryAsked asked{.head_dim = a.head_dim, .keys = {}};
    asked.pairs = pairs == "halves" ? RotaryRule::Pairs::halves : RotaryRule::Pairs::neighbours;
    if (rotary.find("rotary_dim") != nullptr) asked.keys.features = {"rotary_dim", {}};
    rule = rotary_rule_of(rotary, asked);
  }
  for (const std::string& each : rotary.problems()) wrong(fmt::format("{}: {}", key, each));
}

// The numbers of the layers that have the window.
void SettingsReader::read_window_layers() {
  Architecture& a = architecture();
  const JsonValue* list = reader_.find("window_layers");
  if (a.window_rotary && !a.sliding_window) {
    wrong("window_rotary is of layers with a window; expected sliding_window beside it");
  }
  if (list == nullptr) return;
  if (!a.sliding_window) return wrong("window_layers is given without sliding_window");
  if (list->kind != JsonValue::Kind::array || a.num_layers < 1) {
    return wrong(fmt::format("window_layers is {}, expected a list of numbers of layers", shown_value(*list)));
  }
  a.windowed.assign(static_cast<std::size_t>(a.num_layers), false);
  for (const JsonValue& each : list->items) {
    std::int64_t layer = -1;
    const char* end = each.text.data() + each.text.size();
    const auto [at, failure] = std::from_chars(each.text.data(), end, layer);
    if (each.kind == JsonValue::Kind::number && failure == std::errc() && at == end && 0 <= layer &&
        layer < a.num_layers) {
      a.windowed[static_cast<std::size_t>(layer)] = true;
      continue;
    }
    return wrong(
        fmt::format("window_layers has {}, expected numbers of layers, 0 to {}", shown_value(each), a.num_layers - 1));
  }
  const auto count = std::count(a.windowed.begin(), a.windowed.end(), true);
  if (count == 0) a.sliding_window.reset();
  if (count == 0 || count == a.num_layers) a.windowed.clear();
}

}  // namespace

std::vector<std::string> map_settings() {
  std::vector<std::string> keys;
  for (const ArchitectureField& field : architecture_fields()) keys.emplace_back(field.key);
  keys.insert(keys.end(), {"rotary", "window_rotary", "window_layers"});
  return keys;
}

bool is_map_setting(const std::string& key) {
  const std::vector<std::string> keys = map_settings();
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::vector<std::string> read_map_settings(const JsonValue& settings, const MappedTensors& tensors, Family& family) {
  return SettingsReader(settings, tensors, family).read();
}

}  // namespace headscope
