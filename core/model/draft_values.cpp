#include "core/model/draft_values.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/model/config_reader.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

// A key of config.json whose number makes a setting.
struct Made {
  const char* key;
  const char* setting;
  double (*value)(double number);
};

constexpr Made kMade[] = {
    {"query_pre_attn_scalar", "score_scale", [](double q) { return 1 / std::sqrt(q); }},
    {"logits_scaling", "logit_scale", [](double s) { return 1 / s; }},
};

// A key that is true or false, and what a map says to that.
struct Switched {
  const char* key;
  bool at;
  const char* setting;
  Json (*value)(const DraftFacts& facts);
};

const Switched kSwitched[] = {
    {"scale_attn_weights", false, "score_scale", [](const DraftFacts&) { return Json(1.0); }},
    {"scale_embedding", true, "embedding_scale",
     [](const DraftFacts& facts) { return Json(std::sqrt(static_cast<float>(facts.d_model))); }},
    {"do_layer_norm_before", true, "norm_place", [](const DraftFacts&) { return Json("before"); }},
    {"do_layer_norm_before", false, "norm_place", [](const DraftFacts&) { return Json("after_sum"); }},
    {"normalize_before", true, "norm_place", [](const DraftFacts&) { return Json("before"); }},
    {"normalize_before", false, "norm_place", [](const DraftFacts&) { return Json("after_sum"); }},
};

Json json_of(const JsonValue& value) {
  Json json;
  switch (value.kind) {
    case JsonValue::Kind::null:
      break;
    case JsonValue::Kind::boolean:
      json = value.truth;
      break;
    case JsonValue::Kind::number:
      json = Json::parse(value.text);
      break;
    case JsonValue::Kind::string:
      json = value.text;
      break;
    case JsonValue::Kind::array:
      json = Json::array();
      for (const JsonValue& each : value.items) json.push_back(json_of(each));
      break;
    case JsonValue::Kind::object:
      json = Json::object();
      for (std::size_t k = 0; k < value.keys.size(); ++k) json[value.keys[k]] = json_of(value.items[k]);
      break;
  }
  return json;
}

class ValueDrafter {
 public:
  ValueDrafter(DraftConfig& config, const DraftFacts& facts, Json& settings, std::vector<std::string>& unsure)
      : config_(config), facts_(facts), settings_(settings), unsure_(unsure) {}

  void draft_made() {
    for (const Made& made : kMade) {
      const JsonValue* value = config_.find(made.key);
      if (value == nullptr || value->kind != JsonValue::Kind::number || settings_.contains(made.setting)) continue;
      const double number = made.value(std::strtod(value->text.c_str(), nullptr));
      if (!std::isfinite(number) || number <= 0) continue;
      config_.taken(made.key);
      settings_[made.setting] = number;
    }
    for (const Switched& row : kSwitched) {
      const JsonValue* value = config_.find(row.key);
      const bool fits = value != nullptr && value->kind == JsonValue::Kind::boolean && value->truth == row.at;
      if (!fits || settings_.contains(row.setting)) continue;
      config_.taken(row.key);
      settings_[row.setting] = row.value(facts_);
    }
    if (config_.text("position_embedding_type") == "alibi") {
      config_.taken("position_embedding_type");
      settings_["alibi"] = true;
    }
  }

  void draft_positions() {
    draft_window();
    if (!facts_.position_table) draft_rotary();
  }

 private:
  void doubt(std::string sentence) { unsure_.push_back(std::move(sentence)); }
  // Copies the first of these keys that config.json has; whether it has one.
  bool copy(Json& to, const char* as, std::initializer_list<const char*> keys);
  void draft_window();
  Json layers_of_types();
  void draft_rotary();
  void draft_window_rotary(const Json& rotary);

  DraftConfig& config_;
  const DraftFacts& facts_;
  Json& settings_;
  std::vector<std::string>& unsure_;
};

bool ValueDrafter::copy(Json& to, const char* as, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const JsonValue* value = *key ? config_.find(key) : nullptr;
    if (value == nullptr || (value->kind != JsonValue::Kind::number && value->kind != JsonValue::Kind::object))
      continue;
    config_.taken(key);
    to[as] = json_of(*value);
    return true;
  }
  return false;
}

// Of layer_types, or sliding_window_pattern: every so many layers one sees everything. Null where neither is there.
Json ValueDrafter::layers_of_types() {
  const JsonValue* types = config_.find("layer_types");
  const std::optional<double> every = config_.number("sliding_window_pattern");
  const bool listed = types != nullptr && types->kind == JsonValue::Kind::array &&
                      static_cast<std::int64_t>(types->items.size()) == facts_.num_layers;
  if (!listed && !(every && *every >= 1)) return {};
  Json layers = Json::array();
  if (listed) config_.taken("layer_types");
  for (std::int64_t n = 0; n < facts_.num_layers; ++n) {
    const bool windowed = listed ? types->items[static_cast<std::size_t>(n)].text == "sliding_attention"
                                 : (n + 1) % static_cast<std::int64_t>(*every) != 0;
    if (windowed) layers.push_back(n);
  }
  return layers;
}

void ValueDrafter::draft_window() {
  Json layers = layers_of_types();
  const std::optional<bool> used = config_.truth("use_sliding_window");
  if (used && !*used) {
    settings_.erase("sliding_window");
    for (const char* key : {"sliding_window", "max_window_layers"}) config_.taken(key);
    return;
  }
  if (!settings_.contains("sliding_window")) return;
  const Architecture* like = facts_.as_like;
  if (layers.is_null() && like != nullptr && like->sliding_window && !like->windowed.empty()) {
    layers = Json::array();
    for (std::size_t n = 0; n < like->windowed.size(); ++n) {
      if (like->windowed[n]) layers.push_back(n);
    }
    doubt(fmt::format("window_layers: every layer that {} has it in is a guess", like->family));
  } else if (layers.is_null()) {
    doubt("sliding_window: that all layers have it is a guess; window_layers lists those that do");
  }
  if (layers.is_null()) return;
  if (layers.empty()) {
    settings_.erase("sliding_window");
  } else if (static_cast<std::int64_t>(layers.size()) < facts_.num_layers) {
    settings_["window_layers"] = layers;
  }
}

// The base of the layers with a window, where it is another.
void ValueDrafter::draft_window_rotary(const Json& rotary) {
  if (!settings_.contains("sliding_window")) return;
  const RotaryKeys* keys = facts_.like == nullptr ? nullptr : &facts_.like->rotary;
  Json window = {{"pairs", rotary["pairs"]}};
  if (rotary.contains("partial_rotary_factor")) window["partial_rotary_factor"] = rotary["partial_rotary_factor"];
  if (!copy(window, "rope_theta", {"rope_local_base_freq", keys == nullptr ? "" : keys->window_theta.key})) {
    if (keys == nullptr || !*keys->window_theta.key) return;
    window["rope_theta"] = keys->window_theta.otherwise.value_or(10000);
    doubt(fmt::format("window_rotary: the base is a guess, as {} models have it", facts_.like->fixed.family));
  }
  settings_["window_rotary"] = window;
}

void ValueDrafter::draft_rotary() {
  const bool like_rotary = facts_.as_like != nullptr && facts_.as_like->position == Architecture::Position::rotary;
  const RotaryKeys* keys = like_rotary ? &facts_.like->rotary : nullptr;
  Json rotary = Json::object();
  const bool based = copy(rotary, "rope_theta",
                          {"rope_theta", "rotary_emb_base", "rope_base", "rotary_base", keys ? keys->theta.key : ""});
  bool shared = copy(rotary, "rotary_dim", {"rotary_dim", keys ? keys->features.key : ""}) ||
                copy(rotary, "partial_rotary_factor",
                     {"partial_rotary_factor", "rotary_pct", "rope_pct", keys ? keys->share.key : ""});
  for (const char* key : {"rope_scaling", "rope_parameters"}) copy(rotary, key, {key});
  if (settings_.contains("alibi")) {
    if (!rotary.empty()) doubt("rotary: its keys of config.json are passed over, as scores have ALiBi's biases");
    doubt(
        "alibi: biases as the paper has them; Falcon's are scaled with the scores and rounded, which a map cannot say");
    return;
  }
  if (rotary.empty() && !like_rotary) {
    doubt(
        "positions: there is no table of positions and no rope_theta; none are added (a setting \"rotary\": "
        "{\"pairs\": \"halves\", \"rope_theta\": 10000} adds rotary ones)");
    return;
  }
  if (keys != nullptr && !based && !rotary.contains("rope_parameters")) {
    rotary["rope_theta"] = keys->theta.otherwise.value_or(10000);
    doubt(fmt::format("rotary: rope_theta {} is a guess, as {} models have it", rotary["rope_theta"].dump(),
                      facts_.like->fixed.family));
  }
  if (keys != nullptr && !shared && facts_.as_like->rotary &&
      facts_.as_like->rotary->features != facts_.as_like->head_dim) {
    rotary["rotary_dim"] = facts_.as_like->rotary->features;
    doubt(fmt::format("rotary: rotary_dim {} is a guess, as {} models have it", rotary["rotary_dim"].dump(),
                      facts_.like->fixed.family));
  }
  const bool neighbours = like_rotary && facts_.like->pairs == RotaryRule::Pairs::neighbours;
  rotary["pairs"] = neighbours ? "neighbours" : "halves";
  doubt(neighbours ? "rotary: pairs neighbours is a guess; or halves"
                   : "rotary: pairs halves is a guess; or neighbours");
  settings_["rotary"] = rotary;
  draft_window_rotary(rotary);
}

}  // namespace

void draft_values(DraftConfig& config, const DraftFacts& facts, Json& settings) {
  std::vector<std::string> none;
  ValueDrafter(config, facts, settings, none).draft_made();
}

void draft_positions(DraftConfig& config, const DraftFacts& facts, Json& settings, std::vector<std::string>& unsure) {
  ValueDrafter(config, facts, settings, unsure).draft_positions();
}

}  // namespace headscope
