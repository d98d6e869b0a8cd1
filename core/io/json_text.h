// JSON as values: strict in, well-formed out.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
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

// The one value that `json` is, read by a JsonCursor: at most 16 MB, nested at most 16 deep, at most a million values.
// Error for what the cursor does not take, for keys that stand twice and for bytes after the end; it names `what` and
// the byte.
JsonValue parse_strict_json(std::string_view json, const std::string& what);

// value.dump(indent) that never throws: invalid UTF-8 becomes U+FFFD.
std::string json_dump(const nlohmann::ordered_json& value, int indent = -1);

// A number, or the strings "nan", "inf", "-inf".
nlohmann::ordered_json json_number(double value);

}  // namespace headscope
