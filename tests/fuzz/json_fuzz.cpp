// Whatever JSON the strict reader takes is what nlohmann-json makes of it; what it refuses is no JSON there either, or
// is one of the things that it means to refuse. Passing over a value takes what reading it takes.
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/io/json_cursor.h"
#include "core/io/json_text.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

namespace {

using Other = nlohmann::ordered_json;

double number_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);  // one too small stays 0
  return value;
}

bool same(const JsonValue& ours, const Other& other) {
  using Kind = JsonValue::Kind;
  switch (ours.kind) {
    case Kind::null:
      return other.is_null();
    case Kind::boolean:
      return other.is_boolean() && other.get<bool>() == ours.truth;
    case Kind::number:
      return other.is_number() && other.get<double>() == number_of(ours.text);
    case Kind::string:
      return other.is_string() && other.get_ref<const std::string&>() == ours.text;
    case Kind::array:
    case Kind::object:
      break;
  }
  const bool object = ours.kind == Kind::object;
  if (object ? !other.is_object() : !other.is_array()) return false;
  if (other.size() != ours.items.size() || (object && ours.keys.size() != ours.items.size())) return false;
  std::size_t at = 0;
  for (auto item = other.begin(); item != other.end(); ++item, ++at) {
    if (object && item.key() != ours.keys[at]) return false;
    if (!same(ours.items[at], *item)) return false;
  }
  return true;
}

// What is valid JSON by RFC 8259 and refused all the same.
bool means_to_refuse(const std::string& sentence) {
  constexpr std::array reasons = {"byte order mark",       "a NUL",  "stands twice",
                                  "lists and objects lie", "values", "keys"};
  for (const char* reason : reasons) {
    if (sentence.find(reason) != sentence.npos) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  std::optional<JsonValue> value;
  std::string refusal;
  try {
    value = parse_strict_json(text, "f");
  } catch (const Error& error) {
    refusal = error.what();
  }
  bool passed_over = false;
  try {
    JsonCursor cursor(text, "f");
    cursor.skip_value();
    cursor.finish();
    passed_over = true;
  } catch (const Error&) {
  }
  const Other other = Other::parse(text, nullptr, false);
  if (!value) {
    fuzz::require(other.is_discarded() || means_to_refuse(refusal), "what is JSON is read");
    fuzz::require(!passed_over || !other.is_discarded() || refusal.find("too large") != refusal.npos,
                  "only JSON is passed over");
    return 0;
  }
  fuzz::require(passed_over, "what can be read can be passed over");
  fuzz::require(!other.is_discarded() && same(*value, other), "what is read is what stands there");
  fuzz::require(same(parse_strict_json(json_dump(other), "again"), other), "what is written is read back");
  return 0;
}
