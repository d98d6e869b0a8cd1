#include "core/model/draft_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/base/message_text.h"
#include "core/model/config_reader.h"
#include "core/model/harmless_keys.h"

namespace headscope {
namespace {

bool is_object(const JsonValue* value) {
  return value != nullptr && value->kind == JsonValue::Kind::object;
}

}  // namespace

DraftConfig::DraftConfig(const JsonValue& config) : model_(&config) {
  if (config.kind != JsonValue::Kind::object) return;
  const JsonValue* inside = config.find("text_config");
  if (is_object(inside)) {
    model_ = inside;
    add(*inside, "");
  }
  add(config, "");
}

void DraftConfig::add(const JsonValue& object, const std::string& before) {
  for (std::size_t k = 0; k < object.keys.size(); ++k) {
    const std::string& key = object.keys[k];
    const JsonValue& value = object.items[k];
    const bool opened = key == "attn_config" || key == "ffn_config";
    if (&value == model_) continue;
    if (opened && before.empty() && value.kind == JsonValue::Kind::object) {
      add(value, key + ".");
    } else {
      leaves_.push_back({before + key, &value});
    }
  }
}

const JsonValue* DraftConfig::find(const std::string& key) const {
  const auto is_it = [&](const Leaf& leaf) { return leaf.key == key && leaf.value->kind != JsonValue::Kind::null; };
  const auto found = std::find_if(leaves_.begin(), leaves_.end(), is_it);
  return found == leaves_.end() ? nullptr : found->value;
}

void DraftConfig::taken(const std::string& key) {
  const JsonValue* value = find(key);
  for (Leaf& leaf : leaves_) leaf.taken = leaf.taken || (leaf.key == key && leaf.value == value);
}

const JsonValue* DraftConfig::take(const std::string& key) {
  taken(key);
  return find(key);
}

std::optional<double> DraftConfig::number(const std::string& key) {
  const JsonValue* value = find(key);
  if (value == nullptr || value->kind != JsonValue::Kind::number) return {};
  taken(key);
  return std::strtod(value->text.c_str(), nullptr);
}

std::optional<bool> DraftConfig::truth(const std::string& key) {
  const JsonValue* value = find(key);
  if (value == nullptr || value->kind != JsonValue::Kind::boolean) return {};
  taken(key);
  return value->truth;
}

std::string DraftConfig::text(const std::string& key) const {
  const JsonValue* value = find(key);
  return value != nullptr && value->kind == JsonValue::Kind::string ? value->text : "";
}

const Family* DraftConfig::family() const {
  const std::string type = text("model_type");
  for (const Family& row : families()) {
    ConfigReader reader(*model_);
    if (row.fixed.part != Architecture::Part::whole || row.fixed.image) continue;
    const auto holds = [&](std::string_view key) { return reader.find(key) != nullptr; };
    const bool marked = !row.marks.empty() && std::all_of(row.marks.begin(), row.marks.end(), holds);
    const bool named = std::find(row.model_types.begin(), row.model_types.end(), type) != row.model_types.end();
    if ((marked || named) && (row.applies == nullptr || row.applies(reader))) return &row;
  }
  return nullptr;
}

std::vector<std::string> DraftConfig::not_taken() const {
  std::vector<std::string> sentences;
  for (const Leaf& leaf : leaves_) {
    if (leaf.taken || is_harmless_key(leaf.key, *leaf.value)) continue;
    sentences.push_back(
        fmt::format("{} of config.json, {}, is not taken into account", shortened(leaf.key), shown_value(*leaf.value)));
  }
  return sentences;
}

}  // namespace headscope
