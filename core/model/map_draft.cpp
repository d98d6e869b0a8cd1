#include "core/model/map_draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/model/architecture_fields.h"
#include "core/model/draft_config.h"
#include "core/model/draft_parts.h"
#include "core/model/draft_sizes.h"
#include "core/model/draft_values.h"
#include "core/model/model_map.h"
#include "core/model/near_family.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

class Drafter {
 public:
  Drafter(const JsonValue& config, const WeightFiles& files) : config_(config), files_(files) {}

  MapDraft draft() {
    find_family();
    note_parts();
    guess_settings();
    Json tensors = Json::object();
    for (const MapPart& part : map_parts()) {
      for (const char* which : {"weight", "bias"}) {
        const auto found = parts_.found.find(fmt::format("{}.{}", part.key, which));
        if (found != parts_.found.end()) tensors[found->first] = found->second.pattern;
      }
    }
    Json map = Json::object();
    const std::string type = config_.text("model_type");
    map["name"] = type.empty() ? "mapped" : type;
    map["matrices"] = parts_.in_out() ? "in_out" : "out_in";
    map["architecture"] = settings_;
    map["tensors"] = tensors;
    map["unsure"] = unsure_;
    return {map.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", unsure_, parts_.found.size()};
  }

 private:
  void doubt(std::string sentence) { unsure_.push_back(std::move(sentence)); }
  bool has(const char* key) const { return parts_.has(key); }
  std::string like() const { return parts_.like->fixed.family; }
  void find_family();
  void note_parts();
  void settle_decoder();
  void guess_settings();
  void read_field_of_config(const ArchitectureField& field);
  void guess_field(const ArchitectureField& field);
  std::optional<Json> config_value(const ArchitectureField& field);
  std::optional<Json> tensor_value(const std::string& key);
  Json norm_place();
  Json norm_kind();
  bool causal();
  void note_what_is_silent();

  DraftConfig config_;
  const WeightFiles& files_;
  DraftParts parts_;
  std::optional<Architecture> as_like_;  // what config.json says to the family whose names the tensors have
  std::set<std::string> off_;            // settings that config.json says are off
  Json settings_ = Json::object();
  std::vector<std::string> unsure_;
};

// The family that config.json names, or whose layers have these names.
void Drafter::find_family() {
  const Family* asked = config_.family();
  parts_ = draft_parts(files_, asked);
  if (parts_.like == nullptr) return;
  try {
    as_like_ = model_config_of(config_.model(), *parts_.like, "config.json").architecture;
  } catch (const Error&) {  // its keys are another model's
    as_like_ = parts_.like->fixed;
  }
}

void Drafter::note_parts() {
  if (parts_.num_layers == 0) doubt("no tensor's name has the number of a layer; parts of layers are not guessed");
  if (const NearFamily* near = near_family(config_.text("model_type"))) {
    const std::string nearest = near->nearest.empty() ? "" : fmt::format("it is like {}, but ", near->nearest);
    doubt(fmt::format("model_type {}: {}{}", near->model_type, nearest, near->differs));
  }
  if (!parts_.others.empty()) {
    std::set<std::string> names;
    for (const Family* other : parts_.others) names.insert(other->fixed.family);
    doubt(fmt::format("tensors have the names that {} models give them, but so do those of {}, which compute otherwise",
                      like(), fmt::join(names, ", ")));
  }
  if (parts_.experts) {
    doubt("it is a mixture of experts, which a map cannot name: only a family of the table opens one");
  }
  settle_decoder();
  if (!parts_.left.empty()) doubt(fmt::format("tensors without a part: {}", first_ten(parts_.left)));
  std::vector<const char*> wanted = {"word.weight", "output.weight"};
  if (!has("attention_norm_out.weight")) wanted.push_back("attention_norm.weight");
  if (!has("qkv.weight")) wanted.insert(wanted.end(), {"query.weight", "key.weight", "value.weight"});
  for (const char* key : wanted) {
    if (!has(key)) doubt(fmt::format("no tensor was found for {}", key));
  }
}

// Whether the word embedding is the decoder.
void Drafter::settle_decoder() {
  const std::optional<bool> tied = config_.truth("tie_word_embeddings");
  if (tied && *tied && has("decoder.weight")) {
    doubt(fmt::format("decoder: {} is left out, as tie_word_embeddings is true: the word embedding is taken",
                      shortened(parts_.found.at("decoder.weight").pattern)));
    parts_.found.erase("decoder.weight");
  } else if (tied && !*tied && !has("decoder.weight")) {
    doubt("decoder: no tensor was found for it, though tie_word_embeddings is false; the word embedding is taken");
  } else if (!tied && as_like_ && as_like_->tied_embeddings && has("decoder.weight")) {
    doubt(fmt::format("decoder: {} is taken, but {} models that do not say tie_word_embeddings take the word embedding",
                      shortened(parts_.found.at("decoder.weight").pattern), like()));
  }
}

// Whether a value of config.json is of the field's type.
bool fits_field(const ArchitectureField& field, JsonValue::Kind kind) {
  const bool truth = std::holds_alternative<bool Architecture::*>(field.place) ||
                     std::holds_alternative<ArchitectureField::Truth>(field.place);
  if (truth) return kind == JsonValue::Kind::boolean;
  const bool choice = std::holds_alternative<ArchitectureField::Choice>(field.place);
  return kind == (choice ? JsonValue::Kind::string : JsonValue::Kind::number);
}

// Other keys of the same are taken where they say the same.
std::optional<Json> Drafter::config_value(const ArchitectureField& field) {
  std::optional<Json> first;
  for (const char* key : field.config_keys) {
    const JsonValue* value = config_.find(key);
    if (value == nullptr || !fits_field(field, value->kind)) continue;
    const Json found = value->kind == JsonValue::Kind::number    ? Json::parse(value->text)
                       : value->kind == JsonValue::Kind::boolean ? Json(value->truth)
                                                                 : Json(map_word(value->text));
    if (!first) first = found;
    if (*first == found) config_.taken(key);
  }
  return first;
}

void Drafter::read_field_of_config(const ArchitectureField& field) {
  std::optional<Json> value = config_value(field);
  const std::string_view key = field.key;
  if (key == "num_layers" && value && parts_.num_layers > 0 && *value != parts_.num_layers) {
    doubt(fmt::format("num_layers: config.json says {}, the tensors' names give {}", value->dump(), parts_.num_layers));
    value.reset();
  }
  // Gemma's first files name another function than they mean, which its family knows.
  if (!value || (key == "activation" && config_.family() != nullptr)) return;
  // is_decoder false says nothing of most models.
  if (!value->is_boolean() || value->get<bool>()) {
    settings_[field.key] = *value;
  } else if (key != "causal") {
    off_.insert(field.key);
  }
}

Json Drafter::norm_place() {
  std::string place = has("attention_norm.weight") ? "around" : "after", why = "by the names of norms";
  if (!has("attention_norm_out.weight") && as_like_) {
    place = as_like_->norms_input() ? "before" : "after_sum";
    why = fmt::format("as {} models have it", like());
  } else if (!has("attention_norm_out.weight")) {
    const bool final_norm = has("final_norm.weight");
    place = final_norm || !has("embedding_norm.weight") ? "before" : "after_sum";
    why = fmt::format("since there is {} norm after the last layer", final_norm ? "a" : "no");
  }
  doubt(fmt::format("norm_place: {} is a guess, {}", place, why));
  return place;
}

Json Drafter::norm_kind() {
  if (has("attention_norm.bias") || has("attention_norm_out.bias")) return "layer";
  if (config_.find("rms_norm_eps") != nullptr) return "rms";
  const bool layer = config_.find("layer_norm_eps") != nullptr || config_.find("layer_norm_epsilon") != nullptr ||
                     (as_like_ && as_like_->norm == Architecture::Norm::layer);
  doubt(layer ? "norm: layer is a guess, though norms have no bias; or rms"
              : "norm: rms is a guess, since norms have no bias; or layer");
  return layer ? "layer" : "rms";
}

bool Drafter::causal() {
  std::string architectures;
  if (const JsonValue* list = config_.find("architectures"); list != nullptr) {
    for (const JsonValue& each : list->items) architectures += each.text + " ";
  }
  if (architectures.find("Masked") != architectures.npos) return false;
  if (architectures.find("CausalLM") != architectures.npos || architectures.find("LMHead") != architectures.npos) {
    return true;
  }
  const bool guess = !as_like_ || as_like_->causal;
  doubt(fmt::format("causal: {} is a guess", guess));
  return guess;
}

// What names, shapes and other keys tell of a setting.
std::optional<Json> Drafter::tensor_value(const std::string& key) {
  if (key == "num_layers" && parts_.num_layers > 0) return parts_.num_layers;
  if (key == "max_positions" && has("position.weight")) return parts_.dim("position.weight", 0);
  if (key == "norm") return norm_kind();
  if (key == "norm_place") return norm_place();
  if (key == "causal") return causal();
  if (key == "activation" && (has("up.weight") || has("gate_up.weight"))) {
    const bool gated = has("gate.weight") || has("gate_up.weight");
    const std::string word = as_like_ ? activation_name(as_like_->activation) : gated ? "silu" : "gelu";
    doubt(fmt::format("activation: {} is a guess", word));
    return word;
  }
  const bool one_norm = has("attention_norm.weight") && !has("mlp_norm.weight") && !has("attention_norm_out.weight");
  if (key == "parallel" && one_norm && has("down.weight")) {
    doubt("parallel: true is a guess, since layers have one norm");
    return true;
  }
  if (key == "norm_eps") {
    const double eps = as_like_ ? as_like_->norm_eps : 1e-5;
    doubt(fmt::format("norm_eps: {} is a guess", eps));
    return eps;
  }
  return {};
}

void Drafter::guess_field(const ArchitectureField& field) {
  if (settings_.contains(field.key) || off_.contains(field.key)) return;
  // Of these no family's defaults are near.
  static constexpr std::string_view kSizes[] = {"num_kv_heads",    "head_dim",  "head_norm_eps",
                                                "head_activation", "num_heads", "max_positions"};
  std::optional<Json> value = tensor_value(field.key);
  const bool size = std::find(std::begin(kSizes), std::end(kSizes), field.key) != std::end(kSizes);
  const std::string_view key = field.key;
  const bool none = (key == "head_norm" && !has("query_norm.weight")) || (key == "fused_rows" && !has("qkv.weight"));
  const std::string likely = as_like_ && !value && !size && !none ? field_json(field, *as_like_) : "";
  if (!likely.empty()) {
    value = Json::parse(likely);
    doubt(fmt::format("{}: {} is a guess, as {} models have it", field.key, likely, like()));
  }
  if (value) {
    settings_[field.key] = *value;
  } else if (field.needed) {
    doubt(fmt::format("{} is not known ({})", field.key, field.about));
  }
}

void Drafter::guess_settings() {
  for (const ArchitectureField& field : architecture_fields()) read_field_of_config(field);
  // torch.nn.MultiheadAttention has them in no other order.
  if (has("qkv.weight") && parts_.found.at("qkv.weight").pattern.ends_with("in_proj_weight")) {
    settings_["fused_rows"] = "blocked";
  }
  const DraftFacts facts{.num_layers = parts_.num_layers,
                         .d_model = parts_.dim("word.weight", 1),
                         .position_table = has("position.weight"),
                         .like = parts_.like,
                         .as_like = as_like_ ? &*as_like_ : nullptr};
  draft_values(config_, facts, settings_);
  for (const ArchitectureField& field : architecture_fields()) guess_field(field);
  draft_sizes(config_, parts_, settings_, unsure_);
  draft_positions(config_, facts, settings_, unsure_);
  note_what_is_silent();
}

void Drafter::note_what_is_silent() {
  if (has("qkv.weight") && !settings_.contains("fused_rows")) {
    doubt("qkv: rows are taken to lie in blocks of queries, keys and values; or fused_rows per_head or grouped");
  }
  if (has("gate_up.weight")) doubt("gate_up: the rows of gate are taken to lie before those of up");
  std::vector<const char*> silent;
  for (const ArchitectureField& field : architecture_fields()) {
    const std::string_view key = field.key;
    const bool head = key == "head_activation" ? has("transform.weight") : has("query_norm.weight");
    const bool other = (key.starts_with("head_") && (key == "head_dim" || !head)) || key == "norm_first" ||
                       key == "norm_place" || key == "fused_rows" || key == "alibi_bias_max" ||
                       (key == "position_offset" && !has("position.weight"));
    if (!field.needed && !settings_.contains(field.key) && !other) silent.push_back(field.key);
  }
  if (!silent.empty()) doubt(fmt::format("left out, as most models have none: {}", fmt::join(silent, ", ")));
  for (std::string& sentence : config_.not_taken()) doubt(std::move(sentence));
}

}  // namespace

MapDraft draft_map(const JsonValue& config, const WeightFiles& files) {
  return Drafter(config, files).draft();
}

}  // namespace headscope
