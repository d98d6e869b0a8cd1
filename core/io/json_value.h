// A JSON value as it was read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// A JSON value with its numbers as text, so that a 64-bit seed stays exact and 2.9 never becomes 2.
struct JsonValue {
  enum class Kind { null, boolean, number, string, array, object } kind = Kind::null;
  std::string text;               // of a string; of a number: its text, as written ("0" for "-0")
  bool truth = false;             // of a boolean
  std::vector<JsonValue> items;   // of an array; of an object its values, in order
  std::vector<std::string> keys;  // of an object, one an item, each once
  // The value of that key of an object; null when there is none.
  const JsonValue* find(std::string_view key) const;
};

// "null", "a boolean", "a number", "a string", "a list", "an object".
const char* json_kind_name(JsonValue::Kind kind);

}  // namespace headscope
