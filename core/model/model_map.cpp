#include "core/model/model_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/model/config_reader.h"
#include "core/model/leftover_tensors.h"
#include "core/model/map_settings.h"
#include "core/model/map_tensor.h"
#include "core/model/stored_layout.h"

namespace headscope {
namespace {

constexpr std::string_view kLayerMark = "{layer}";
constexpr std::int64_t kMostMapLayers = 10'000;

// What the names of the word embedding and of all layers begin with, up to a dot.
std::string body_of(const std::string& word, const std::vector<std::string>& layers) {
  std::size_t length = word.size();
  for (const std::string& each : layers) {
    const auto [end, other] = std::mismatch(word.begin(), word.end(), each.begin(), each.end());
    length = std::min(length, static_cast<std::size_t>(end - word.begin()));
  }
  const std::size_t dot = word.substr(0, length).rfind('.');
  return dot == word.npos ? "" : word.substr(0, dot + 1);
}

class MapReader {
 public:
  MapReader(const std::string& path, const JsonValue& root, WeightFiles& files)
      : path_(path), root_(root), files_(files), family_(std::make_shared<Family>()) {}

  ModelConfig read() {
    check_keys();
    name_tensors();
    throw_problems();  // sizes are taken from tensors
    const MappedTensors tensors(object("tensors"), files_);
    for (const std::string& each : read_map_settings(object("architecture"), tensors, *family_)) {
      problem("architecture: " + each);
    }
    throw_problems();
    architecture().family = text_or("name", "mapped");
    ModelConfig config{family_->fixed, family_.get()};
    config.own_family = family_;
    const JsonValue& word = *object("tensors").find("word.weight");
    named_.body = body_of(word.find("name") != nullptr ? word.find("name")->text : word.text, named_.before_layer);
    config.map = std::move(named_);
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
  bool make_known(const std::string& ours, const std::string& theirs, const std::optional<StoredLayout>& layout);
  void name_tensor(const MapPart& part, const std::string& which, const JsonValue& value);
  bool names(const char* key) const { return named(key, "weight") || named(key, "bias"); }
  bool named(const char* part, const char* which) const {
    return object("tensors").find(fmt::format("{}.{}", part, which)) != nullptr;
  }
  void check_parts();

  const std::string& path_;
  const JsonValue& root_;
  WeightFiles& files_;
  std::shared_ptr<Family> family_;
  std::int64_t num_layers_ = 0;
  MapNames named_;
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
  static constexpr std::array<std::string_view, 6> known = {"name",    "matrices", "architecture",
                                                            "tensors", "ignore",   "unsure"};
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
    if (is_map_setting(key)) continue;
    problem(
        fmt::format("architecture: {} is no setting; expected {}", in_quotes(key), fmt::join(map_settings(), ", ")));
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
    if (row == parts.end() || (which != "weight" && which != "bias") || (which == "bias" && !row->has_bias())) {
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
  if (named("sinks", "weight")) family_->names.sinks = "sinks.weight";
  check_parts();
}

// Parts that a model needs, and those that say the same twice.
void MapReader::check_parts() {
  const auto need = [this](const char* part, const char* why) {
    if (!named(part, "weight")) problem(fmt::format("tensors: {}.weight is missing{}", part, why));
  };
  const auto several = [this](const char* fused, std::initializer_list<const char*> parts) {
    for (const char* part : parts) {
      if (names(fused) && names(part)) problem(fmt::format("tensors: {} and {} are named, expected one", fused, part));
    }
  };
  need("word", "");
  need("output", "");
  several("qkv", {"query", "key", "value"});
  several("gate_up", {"gate", "up"});
  if (!names("qkv")) {
    for (const char* part : {"query", "key", "value"}) need(part, ", and there is no qkv.weight");
  }
  if (!names("up") && !names("gate") && !names("down") && !names("gate_up")) return;
  if (!names("gate_up")) need("up", ", which an MLP has");
  need("down", ", which an MLP has");
}

bool MapReader::make_known(const std::string& ours, const std::string& theirs,
                           const std::optional<StoredLayout>& layout) {
  if (!layout) return files_.name_also(ours, theirs);
  if (files_.find(theirs) == nullptr) return false;
  const std::string wrong = lay_out(files_, theirs, *layout, ours);
  if (!wrong.empty()) problem("tensors: " + wrong);
  return true;
}

void MapReader::name_tensor(const MapPart& part, const std::string& which, const JsonValue& value) {
  const std::string key = fmt::format("{}.{}", part.key, which);
  const std::optional<MapTensor> named = map_tensor_of(key, part.in_layer, value, problems_);
  if (!named) return;
  if (named->layout && family_->in_out) {
    return problem(fmt::format("tensors: {}: stored is said beside matrices in_out; expected it of every matrix", key));
  }
  const std::size_t mark = named->text.find(kLayerMark);
  if (part.in_layer) named_.before_layer.push_back(named->text.substr(0, mark));
  for (std::int64_t layer = 0; layer < (part.in_layer ? num_layers_ : 1); ++layer) {
    std::string theirs = named->text, ours = key;
    if (part.in_layer) {
      theirs.replace(mark, kLayerMark.size(), std::to_string(layer));
      ours = fmt::format("layers.{}.{}", layer, key);
    }
    if (make_known(ours, theirs, named->layout)) {
      named_.tensors.push_back(theirs);
      continue;
    }
    problem(
        fmt::format("tensors: {} is {}, and no file has a tensor {}", key, in_quotes(named->text), in_quotes(theirs)));
    return;
  }
}

}  // namespace

bool only_ignores(const JsonValue& map) {
  return map.kind == JsonValue::Kind::object && map.keys == std::vector<std::string>{"ignore"};
}

std::vector<std::string> ignored_of(const JsonValue& map, const std::string& what, const WeightFiles& files) {
  std::vector<std::string> patterns, problems;
  const JsonValue* list = map.find("ignore");
  if (list == nullptr) return patterns;
  if (list->kind != JsonValue::Kind::array) {
    throw Error(fmt::format("{}: ignore is {}, expected a list of names of tensors", what, shown_value(*list)));
  }
  for (const JsonValue& each : list->items) {
    const auto fits = [&](const auto& entry) { return fits_pattern(entry.first, each.text); };
    if (each.kind != JsonValue::Kind::string) {
      problems.push_back(fmt::format("ignore has {}, expected names of tensors", shown_value(each)));
    } else if (std::none_of(files.all().begin(), files.all().end(), fits)) {
      problems.push_back(fmt::format("ignore has {}, and no file has such a tensor", in_quotes(each.text)));
    } else {
      patterns.push_back(each.text);
    }
  }
  if (!problems.empty()) throw Error(fmt::format("{}: {}", what, first_ten(problems, "; ")));
  return patterns;
}

ModelConfig model_map_of(const JsonValue& map, const std::string& what, WeightFiles& files) {
  ModelConfig config = MapReader(what, map, files).read();
  config.map.ignored = ignored_of(map, what, files);
  return config;
}

std::vector<std::string> unsure_of(const JsonValue& map) {
  std::vector<std::string> sentences;
  const JsonValue* list = map.find("unsure");
  if (list == nullptr) return sentences;
  for (const JsonValue& each : list->items) sentences.push_back(each.text);
  return sentences;
}

JsonValue read_model_map(const std::string& path) {
  return parse_strict_json(read_json_text(path), path);
}

}  // namespace headscope
