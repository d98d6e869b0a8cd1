// Values of JSON that are made here, not read: what a file of another format says in config.json's words.
#pragma once

#include <string>
#include <utility>

#include "core/io/json_text.h"

namespace headscope {

inline JsonValue json_number(const std::string& text) {
  JsonValue value;
  value.kind = JsonValue::Kind::number;
  value.text = text;
  return value;
}

inline JsonValue json_text(std::string text) {
  JsonValue value;
  value.kind = JsonValue::Kind::string;
  value.text = std::move(text);
  return value;
}

inline JsonValue json_truth(bool truth) {
  JsonValue value;
  value.kind = JsonValue::Kind::boolean;
  value.truth = truth;
  return value;
}

inline void set(JsonValue& object, const std::string& key, JsonValue value) {
  object.kind = JsonValue::Kind::object;
  object.keys.push_back(key);
  object.items.push_back(std::move(value));
}

}  // namespace headscope
