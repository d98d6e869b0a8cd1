#include "core/model/map_draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/base/message_text.h"
#include "core/model/architecture_fields.h"
#include "core/model/map_names.h"
#include "core/model/model_map.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;
using Entry = const TensorEntry*;

class Drafter {
 public:
  Drafter(const JsonValue& config, const WeightFiles& files) : config_(config), files_(files) {}

  MapDraft draft() {
    find_layers();
    find_parts();
    settle_gate();
    guess_settings();
    Json tensors = Json::object();
    for (const MapPart& part : map_parts()) {
      for (const char* which : {"weight", "bias"}) {
        const auto found = found_.find(fmt::format("{}.{}", part.key, which));
        if (found != found_.end()) tensors[found->first] = found->second.pattern;
      }
    }
    Json map = Json::object();
    map["name"] = text_of("model_type", "mapped");
    map["matrices"] = in_out() ? "in_out" : "out_in";
    map["architecture"] = settings_;
    map["tensors"] = tensors;
    map["unsure"] = unsure_;
    return {map.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", unsure_, found_.size()};
  }

 private:
  struct Found {
    std::string pattern;  // with {layer}
    Entry entry;          // of the first layer
  };

  void doubt(std::string sentence) { unsure_.push_back(std::move(sentence)); }
  const JsonValue* value_of(const char* key) const {
    const JsonValue* value = config_.find(key);
    return value == nullptr || value->kind == JsonValue::Kind::null ? nullptr : value;
  }
  std::string text_of(const char* key, const char* otherwise) const {
    const JsonValue* value = value_of(key);
    return value != nullptr && value->kind == JsonValue::Kind::string ? value->text : otherwise;
  }
  bool has(const char* key) const { return found_.contains(key); }
  std::int64_t dim(const char* key, std::size_t axis) const {
    const auto found = found_.find(key);
    return found == found_.end() || axis >= found->second.entry->shape.size() ? 0 : found->second.entry->shape[axis];
  }
  void find_layers();
  void find_parts();
  void take(const std::string& name, Entry entry);
  void settle_gate();
  bool in_out();
  void guess_settings();
  void guess_field(const ArchitectureField& field);
  std::optional<Json> config_value(const ArchitectureField& field) const;
  std::optional<Json> tensor_value(const std::string& key);
  void guess_positions();
  void note_what_is_silent();

  const JsonValue& config_;
  const WeightFiles& files_;
  std::string layer_prefix_;
  long num_layers_ = 0;
  std::map<std::string, Found> found_;  // by the map's key
  Json settings_ = Json::object();
  std::vector<std::string> unsure_;
};

// The list with the most tensors is that of the layers.
void Drafter::find_layers() {
  std::map<std::string, std::pair<std::size_t, long>> lists;  // tensors, largest number
  for (const auto& [name, place] : files_.all()) {
    const LayeredName parts = layered_name(name);
    if (parts.layer < 0) continue;
    auto& [count, largest] = lists[parts.before];
    ++count;
    largest = std::max(largest, parts.layer);
  }
  std::size_t most = 0;
  for (const auto& [prefix, list] : lists) {
    if (list.first <= most) continue;
    most = list.first;
    layer_prefix_ = prefix;
    num_layers_ = list.second + 1;
  }
  if (num_layers_ == 0) doubt("no tensor's name has the number of a layer; parts of layers are not guessed");
}

void Drafter::find_parts() {
  std::vector<std::string> left;
  bool experts = false;
  for (const auto& [name, place] : files_.all()) {
    if (is_remade_buffer(name)) continue;
    // A matrix of one of many would pass for the layer's own.
    experts = experts || name.find("experts.") != name.npos;
    if (name.find("experts.") != name.npos) continue;
    const LayeredName parts = layered_name(name);
    const bool in_layer = num_layers_ > 0 && parts.layer >= 0 && parts.before == layer_prefix_;
    if (in_layer && parts.layer != 0) continue;
    const std::string own = in_layer ? parts.after.substr(1) : name;
    const ModuleName module = module_name(own);
    // A bias is of the part that its weight is.
    const std::size_t axes = place.entry->shape.size();
    const MapPart* part = guessed_part(module.module, in_layer, axes);
    if (module.bias) {
      for (const std::size_t of_weight : {std::size_t{2}, std::size_t{1}}) {
        const std::string beside = name.substr(0, name.size() - 4) + "weight";
        const auto weight = files_.all().find(beside);
        if (weight == files_.all().end() || weight->second.entry->shape.size() != of_weight) continue;
        part = guessed_part(module.module, in_layer, of_weight);
      }
    }
    const std::string pattern = in_layer ? layer_prefix_ + "{layer}" + parts.after : name;
    const std::string key = part == nullptr ? "" : fmt::format("{}.{}", part->key, module.bias ? "bias" : "weight");
    if (part == nullptr || !found_.try_emplace(key, Found{pattern, place.entry}).second) {
      left.push_back(part == nullptr ? shortened(pattern)
                                     : fmt::format("{} (as {} seems to be {})", shortened(pattern),
                                                   shortened(found_.at(key).pattern), key));
    }
  }
  if (experts) doubt("it is a mixture of experts, which a map cannot name: only a family of the table opens one");
  if (!left.empty()) doubt(fmt::format("tensors without a part: {}", first_ten(left)));
  std::vector<const char*> wanted = {"word.weight", "attention_norm.weight", "output.weight"};
  if (!has("qkv.weight")) wanted.insert(wanted.end(), {"query.weight", "key.weight", "value.weight"});
  for (const char* key : wanted) {
    if (!has(key)) doubt(fmt::format("no tensor was found for {}", key));
  }
}

// The first matrix of an MLP without a gate may be called as a gate is.
void Drafter::settle_gate() {
  for (const char* which : {"weight", "bias"}) {
    const std::string gate = fmt::format("gate.{}", which), up = fmt::format("up.{}", which);
    if (!has(gate.c_str()) || has("up.weight")) continue;
    auto node = found_.extract(gate);
    node.key() = up;
    found_.insert(std::move(node));
  }
}

bool Drafter::in_out() {
  const std::int64_t width = dim("word.weight", 1);
  for (const char* key : {"up.weight", "qkv.weight", "key.weight"}) {
    const std::int64_t rows = dim(key, 0), columns = dim(key, 1);
    if (rows != columns && rows > 0) return rows == width;
  }
  return false;
}

std::optional<Json> Drafter::config_value(const ArchitectureField& field) const {
  for (const char* key : field.config_keys) {
    const JsonValue* value = value_of(key);
    if (value == nullptr) continue;
    if (value->kind == JsonValue::Kind::number) return Json::parse(value->text);
    if (value->kind == JsonValue::Kind::boolean) return value->truth;
    if (value->kind == JsonValue::Kind::string) return map_word(value->text);
  }
  return {};
}

// What names, shapes and other keys tell of a setting.
std::optional<Json> Drafter::tensor_value(const std::string& key) {
  if (key == "num_layers" && num_layers_ > 0) return num_layers_;
  if (key == "max_positions" && has("position.weight")) return dim("position.weight", 0);
  if (key == "norm") {
    if (has("attention_norm.bias")) return "layer";
    if (value_of("rms_norm_eps") == nullptr) doubt("norm: rms is a guess, since norms have no bias; or layer");
    return "rms";
  }
  if (key == "norm_first") {
    if (!has("final_norm.weight")) {
      doubt(fmt::format("norm_first: {} is a guess, since there is no norm after the last layer",
                        !has("embedding_norm.weight")));
    }
    return has("final_norm.weight") || !has("embedding_norm.weight");
  }
  if (key == "causal") {
    std::string architectures;
    if (const JsonValue* list = value_of("architectures"); list != nullptr) {
      for (const JsonValue& each : list->items) architectures += each.text + " ";
    }
    if (architectures.find("Masked") != architectures.npos) return false;
    if (architectures.find("CausalLM") == architectures.npos && architectures.find("LMHead") == architectures.npos) {
      doubt("causal: true is a guess");
    }
    return true;
  }
  if (key == "activation" && has("up.weight")) {
    doubt(fmt::format("activation: {} is a guess", has("gate.weight") ? "silu" : "gelu"));
    return has("gate.weight") ? "silu" : "gelu";
  }
  if (key == "norm_eps") {
    doubt("norm_eps: 1e-05 is a guess");
    return 1e-5;
  }
  return {};
}

void Drafter::guess_field(const ArchitectureField& field) {
  std::optional<Json> value = config_value(field);
  const std::string key = field.key;
  if (key == "num_layers" && value && num_layers_ > 0 && *value != num_layers_) {
    doubt(fmt::format("num_layers: config.json says {}, the tensors' names give {}", value->dump(), num_layers_));
    value.reset();
  }
  if (key == "causal" && value && !value->get<bool>()) value.reset();  // is_decoder false says nothing of most models
  if (!value) value = tensor_value(key);
  if (value) {
    settings_[key] = *value;
  } else if (field.needed) {
    doubt(fmt::format("{} is not known ({})", key, field.about));
  }
}

void Drafter::guess_settings() {
  for (const ArchitectureField& field : architecture_fields()) guess_field(field);
  const std::int64_t heads = settings_.contains("num_heads") ? settings_["num_heads"].get<std::int64_t>() : 0;
  const std::size_t rows = in_out() ? 1 : 0;
  if (heads > 0 && !settings_.contains("head_dim") && dim("query.weight", rows) % heads == 0 &&
      dim("query.weight", rows) != dim("word.weight", 1) && has("query.weight")) {
    settings_["head_dim"] = dim("query.weight", rows) / heads;
  }
  if (heads > 0 && !settings_.contains("num_kv_heads") && dim("key.weight", rows) != dim("query.weight", rows)) {
    const std::int64_t width = dim("query.weight", rows) / heads;
    if (width > 0) settings_["num_kv_heads"] = dim("key.weight", rows) / width;
  }
  guess_positions();
  note_what_is_silent();
}

void Drafter::guess_positions() {
  if (has("position.weight")) return;
  Json rotary = Json::object();
  for (const char* key : {"rope_theta", "partial_rotary_factor", "rope_scaling", "rope_parameters"}) {
    const JsonValue* value = value_of(key);
    if (value == nullptr) continue;
    if (value->kind == JsonValue::Kind::number) rotary[key] = Json::parse(value->text);
    if (value->kind != JsonValue::Kind::object) continue;
    for (std::size_t k = 0; k < value->keys.size(); ++k) {
      const JsonValue& each = value->items[k];
      if (each.kind == JsonValue::Kind::number) rotary[key][value->keys[k]] = Json::parse(each.text);
      if (each.kind == JsonValue::Kind::string) rotary[key][value->keys[k]] = each.text;
    }
  }
  if (rotary.empty()) {
    doubt(
        "positions: there is no table of positions and no rope_theta; none are added (a setting \"rotary\": "
        "{\"pairs\": \"halves\", \"rope_theta\": 10000} adds rotary ones)");
    return;
  }
  rotary["pairs"] = "halves";
  doubt("rotary: pairs halves is a guess; or neighbours");
  settings_["rotary"] = rotary;
}

void Drafter::note_what_is_silent() {
  if (has("qkv.weight")) doubt("qkv: rows are taken to lie in blocks of queries, keys and values");
  std::vector<const char*> silent;
  for (const ArchitectureField& field : architecture_fields()) {
    const bool of_head = std::string_view(field.key).starts_with("head_");
    if (!field.needed && !settings_.contains(field.key) && !of_head) silent.push_back(field.key);
  }
  if (!silent.empty()) doubt(fmt::format("left out, as most models have none: {}", fmt::join(silent, ", ")));
}

}  // namespace

MapDraft draft_map(const JsonValue& config, const WeightFiles& files) {
  return Drafter(config, files).draft();
}

}  // namespace headscope
