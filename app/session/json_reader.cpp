#include "app/session/json_reader.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/error.h"
#include "core/io/json_cursor.h"

namespace headscope {

using nlohmann::json;

void refuse_json(const char* key, const char* expected) {
  throw Error(std::string("'") + key + "' is not " + expected);
}

JsonReader::JsonReader(const std::string& text) {
  // It refuses what json::parse() takes: keys that stand twice, byte order marks, bytes behind a NUL.
  JsonCursor cursor(text, "its text");
  cursor.read_value();
  cursor.finish();
  try {
    object_ = json::parse(text);
  } catch (const json::exception&) {
    throw Error("it holds a number that is too large");
  }
  if (!object_.is_object()) throw Error("it is not a JSON object");
}

void JsonReader::read(const char* key, bool& value) const {
  const json* found = find(key);
  if (found == nullptr) return;
  if (!found->is_boolean()) refuse_json(key, "true or false");
  value = found->get<bool>();
}

void JsonReader::read(const char* key, double& value, double low, double high) const {
  const json* found = find(key);
  if (found == nullptr) return;
  if (!found->is_number()) refuse_json(key, "a number");
  value = std::clamp(found->get<double>(), low, high);
}

void JsonReader::read(const char* key, float& value, float low, float high) const {
  double wide = static_cast<double>(value);
  read(key, wide, static_cast<double>(low), static_cast<double>(high));
  value = static_cast<float>(wide);
}

void JsonReader::read(const char* key, std::int64_t& value, std::int64_t low, std::int64_t high) const {
  double wide = static_cast<double>(value);
  read(key, wide, static_cast<double>(low), static_cast<double>(high));
  value = static_cast<std::int64_t>(std::llround(wide));
}

void JsonReader::read(const char* key, int& value, int low, int high) const {
  std::int64_t wide = value;
  read(key, wide, std::int64_t{low}, std::int64_t{high});
  value = static_cast<int>(wide);
}

void JsonReader::read(const char* key, std::string& value) const {
  const json* found = find(key);
  if (found == nullptr) return;
  if (!found->is_string()) refuse_json(key, "a text");
  value = found->get<std::string>();
}

void JsonReader::read(const char* key, std::vector<std::string>& value) const {
  const json* found = find(key);
  if (found == nullptr) return;
  if (!found->is_array()) refuse_json(key, "a list of texts");
  value.clear();
  for (const json& item : *found) {
    if (!item.is_string()) refuse_json(key, "a list of texts");
    value.push_back(item.get<std::string>());
  }
}

int JsonReader::read_choice(const char* key, const std::vector<std::string>& names, int value) const {
  std::string name = names[static_cast<std::size_t>(value)];
  read(key, name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) refuse_json(key, "a known name");
  return static_cast<int>(found - names.begin());
}

StageId JsonReader::read_stage(const char* key, StageId value) const {
  std::string name{stage_name(value)};
  read(key, name);
  const std::optional<StageId> stage = stage_named(name);
  if (!stage) refuse_json(key, "the name of a stage");
  return *stage;
}

const json* JsonReader::find(const char* key) const {
  const auto found = object_.find(key);
  // A number that is not finite was written as null.
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace headscope
