#include "core/model/model_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/model/architecture_fields.h"
#include "core/model/rotary_config.h"

namespace headscope {
namespace {

using Shape = MapPart::Shape;

constexpr std::string_view kLayerMark = "{layer}";
constexpr std::int64_t kMostMapLayers = 10'000;

class MapReader {
 public:
  MapReader(const std::string& path, const JsonValue& root, WeightFiles& files)
      : path_(path), root_(root), files_(files), family_(std::make_shared<Family>()) {}

  ModelConfig read() {
    check_keys();
    name_tensors();
    throw_problems();  // sizes are taken from tensors
    read_settings();
    throw_problems();
    architecture().family = text_or("name", "mapped");
    ModelConfig config{family_->fixed, family_.get()};
    config.own_family = family_;
    return config;
  }

 private:
  Architecture& architecture() { return family_->fixed; }
  void problem(std::string sentence) { problems_.push_back(std::move(sentence)); }
  void throw_problems() const {
    if (problems_.empty()) return;
    throw Error(fmt::format("{}: {}", path_, first_ten(problems_, "; ")));
  }
  const JsonValue& object(const char* key) const;
  std::string text_or(const char* key, const char* otherwise);
  void check_keys();
  void name_tensors();
  void name_tensor(const MapPart& part, const std::string& which, const JsonValue& value);
  bool names(const char* key) const { return named(key, "weight") || named(key, "bias"); }
  bool named(const char* part, const char* which) const {
    return object("tensors").find(fmt::format("{}.{}", part, which)) != nullptr;
  }
  std::int64_t dim(const char* part, std::size_t axis) const;
  void read_settings();
  void read_sizes(const ConfigReader& reader);
  void read_rotary(ConfigReader& reader);

  const std::string& path_;
  const JsonValue& root_;
  WeightFiles& files_;
  std::shared_ptr<Family> family_;
  std::int64_t num_layers_ = 0;
  std::vector<std::string> problems_;
};

const JsonValue& MapReader::object(const char* key) const {
  static const JsonValue nothing = [] {
    JsonValue value;
    value.kind = JsonValue::Kind::object;
    return value;
  }();
  const JsonValue* value = root_.find(key);
  return value != nullptr && value->kind == JsonValue::Kind::object ? *value : nothing;
}

std::string MapReader::text_or(const char* key, const char* otherwise) {
  const JsonValue* value = root_.find(key);
  return value != nullptr && value->kind == JsonValue::Kind::string ? shortened(value->text) : otherwise;
}

void MapReader::check_keys() {
  if (root_.kind != JsonValue::Kind::object) {
    throw Error(fmt::format("{}: found {}; expected an object", path_, json_kind_name(root_.kind)));
  }
  for (const char* key : {"architecture", "tensors"}) {
    const JsonValue* value = root_.find(key);
    if (value == nullptr || value->kind != JsonValue::Kind::object) {
      problem(
          fmt::format("{} is {}, expected an object", key, value == nullptr ? "missing" : json_kind_name(value->kind)));
    }
  }
  static constexpr std::array<std::string_view, 5> known = {"name", "matrices", "architecture", "tensors", "unsure"};
  for (const std::string& key : root_.keys) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    problem(fmt::format("{} is no key of a map; expected {}", in_quotes(key), fmt::join(known, ", ")));
  }
  if (const JsonValue* matrices = root_.find("matrices"); matrices != nullptr) {
    if (matrices->text != "out_in" && matrices->text != "in_out") {
      problem(fmt::format("matrices is {}, expected out_in (as torch.nn.Linear stores them) or in_out",
                          shown_value(*matrices)));
    }
    family_->in_out = matrices->text == "in_out";
  }
  for (const std::string& key : object("architecture").keys) {
    const auto fields = architecture_fields();
    const auto is_it = [&](const ArchitectureField& field) { return key == field.key; };
    if (key == "rotary" || std::any_of(fields.begin(), fields.end(), is_it)) continue;
    std::vector<const char*> names;
    for (const ArchitectureField& field : fields) names.push_back(field.key);
    problem(fmt::format("architecture: {} is no setting; expected {}, rotary", in_quotes(key), fmt::join(names, ", ")));
  }
  ConfigReader settings(object("architecture"));
  num_layers_ = settings.whole("num_layers", 1, kMostMapLayers);
  for (const std::string& each : settings.problems()) problem("architecture: " + each);
}

// Every tensor of the map, under our name as well.
void MapReader::name_tensors() {
  const std::span<const MapPart> parts = map_parts();
  const JsonValue& tensors = object("tensors");
  for (std::size_t k = 0; k < tensors.keys.size(); ++k) {
    const std::string& key = tensors.keys[k];
    const std::size_t dot = key.rfind('.');
    const std::string part = key.substr(0, dot), which = dot == key.npos ? "" : key.substr(dot + 1);
    const auto row = std::find_if(parts.begin(), parts.end(), [&](const MapPart& p) { return part == p.key; });
    if (row == parts.end() || (which != "weight" && which != "bias") ||
        (row->shape == Shape::table && which == "bias")) {
      std::vector<const char*> known;
      for (const MapPart& each : parts) known.push_back(each.key);
      problem(fmt::format("tensors: {} is no part of a model; expected .weight or .bias of {}", in_quotes(key),
                          fmt::join(known, ", ")));
      continue;
    }
    name_tensor(*row, which, tensors.items[k]);
  }
  for (const MapPart& part : parts) {
    if (names(part.key)) family_->names.*part.name = part.key;
  }
  family_->names.layer = "layers.";
  if (named("decoder", "bias")) family_->names.decoder_bias = "decoder.bias";
  const auto need = [this](const char* part, const char* why) {
    if (!named(part, "weight")) problem(fmt::format("tensors: {}.weight is missing{}", part, why));
  };
  need("word", "");
  need("output", "");
  if (!names("qkv")) {
    for (const char* part : {"query", "key", "value"}) need(part, ", and there is no qkv.weight");
  }
  if (names("up") || names("gate") || names("down")) {
    for (const char* part : {"up", "down", "mlp_norm"}) need(part, ", which an MLP has");
  }
  need("attention_norm", "");
}

void MapReader::name_tensor(const MapPart& part, const std::string& which, const JsonValue& value) {
  const std::string key = fmt::format("{}.{}", part.key, which);
  const std::size_t mark = value.text.find(kLayerMark);
  if (value.kind != JsonValue::Kind::string || (mark != value.text.npos) != part.in_layer) {
    problem(fmt::format("tensors: {} is {}, expected the name of a tensor {} {{layer}}, the layer's number", key,
                        shown_value(value), part.in_layer ? "with" : "without"));
    return;
  }
  for (std::int64_t layer = 0; layer < (part.in_layer ? num_layers_ : 1); ++layer) {
    std::string theirs = value.text, ours = key;
    if (part.in_layer) {
      theirs.replace(mark, kLayerMark.size(), std::to_string(layer));
      ours = fmt::format("layers.{}.{}", layer, key);
    }
    if (files_.name_also(ours, theirs)) continue;
    problem(
        fmt::format("tensors: {} is {}, and no file has a tensor {}", key, in_quotes(value.text), in_quotes(theirs)));
    return;
  }
}

// A size of a tensor that is there; 0 where it has fewer axes. Of layers the first one's.
std::int64_t MapReader::dim(const char* part, std::size_t axis) const {
  for (const char* prefix : {"", "layers.0."}) {
    const WeightFiles::Place* place = files_.find(fmt::format("{}{}.weight", prefix, part));
    if (place != nullptr && axis < place->entry->shape.size()) return place->entry->shape[axis];
  }
  return 0;
}

void MapReader::read_settings() {
  ConfigReader reader(object("architecture"));
  Architecture& a = architecture();
  for (const ArchitectureField& field : architecture_fields()) read_field(field, reader, a);
  read_sizes(reader);
  a.qkv_bias = named("qkv", "bias") || named("query", "bias") || named("key", "bias") || named("value", "bias");
  a.output_bias = named("output", "bias");
  a.mlp_bias = named("up", "bias") || named("down", "bias") || named("gate", "bias");
  a.norm_bias = named("attention_norm", "bias");
  a.embedding_norm = names("embedding_norm");
  a.final_norm = names("final_norm");
  a.head_norm = names("query_norm") || names("key_norm");
  if (a.head_norm && reader.find("head_norm_eps") == nullptr) a.head_norm_eps = a.norm_eps;
  a.tied_embeddings = !named("decoder", "weight");
  if (a.tied_embeddings) family_->names.decoder = "decoder";
  a.mlp = names("gate") ? Architecture::Mlp::gated : names("up") ? Architecture::Mlp::plain : Architecture::Mlp::none;
  if (a.mlp != Architecture::Mlp::none && reader.find("activation") == nullptr) {
    reader.add_problem("activation is missing (of the MLP)");
  }
  if (reader.find("head_activation") == nullptr) a.head_activation = a.activation;
  read_rotary(reader);
  for (const std::string& each : reader.problems()) problem("architecture: " + each);
}

void MapReader::read_sizes(const ConfigReader& reader) {
  Architecture& a = architecture();
  if (!reader.problems().empty()) return;
  const auto wrong = [this](const std::string& sentence) { problem("architecture: " + sentence); };
  a.vocab_size = dim("word", 0);
  a.d_model = dim("word", 1);
  if (a.d_model < 1) return wrong(fmt::format("word.weight has not two axes; expected [vocab_size, d_model]"));
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
  const std::int64_t rows = dim("position", 0);
  if (rows > 0) {
    a.position = Architecture::Position::learned;
    if (a.max_positions + a.position_offset != rows) {
      wrong(fmt::format("max_positions is {} and position_offset {}, but position.weight has {} rows", a.max_positions,
                        a.position_offset, rows));
    }
  }
  a.token_types = dim("token_type", 0);
  if (names("down")) a.mlp_width = dim("down", family_->in_out ? 0 : 1);
  if (a.max_positions < 1) wrong("max_positions is 0, expected a whole number from 1 on");
}

// An object with "pairs" and the keys that config.json has for rotary positions.
void MapReader::read_rotary(ConfigReader& reader) {
  const JsonValue* found = reader.find("rotary");
  if (found == nullptr) return;
  Architecture& a = architecture();
  if (found->kind != JsonValue::Kind::object) {
    reader.add_problem(fmt::format("rotary is {}, expected an object", shown_value(*found)));
    return;
  }
  ConfigReader rotary(*found);
  const std::string pairs = rotary.text("pairs", "halves");
  if (pairs != "halves" && pairs != "neighbours") {
    rotary.add_problem(fmt::format("pairs is {}, expected halves or neighbours", in_quotes(pairs)));
  }
  if (a.position == Architecture::Position::learned) {
    rotary.add_problem("position.weight is named as well; expected one kind of positions");
  }
  a.position = Architecture::Position::rotary;
  if (a.head_dim > 0) {
    const auto order = pairs == "halves" ? RotaryRule::Pairs::halves : RotaryRule::Pairs::neighbours;
    a.rotary = rotary_rule_of(rotary, {.head_dim = a.head_dim, .pairs = order, .keys = {}});
  }
  for (const std::string& each : rotary.problems()) reader.add_problem("rotary: " + each);
}

}  // namespace

ModelConfig model_map_of(const JsonValue& map, const std::string& what, WeightFiles& files) {
  return MapReader(what, map, files).read();
}

ModelConfig read_model_map(const std::string& path, WeightFiles& files) {
  return model_map_of(parse_strict_json(read_json_text(path), path), path, files);
}

}  // namespace headscope
