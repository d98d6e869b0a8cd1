// Whole values at a JsonCursor's position: held, passed over, or found by their keys.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/message_text.h"
#include "core/io/json_cursor.h"

namespace headscope {

namespace {

constexpr std::size_t kMostMembers = 1000;

// For JsonCursor::fail, which adds the byte.
std::string too_deep(int deepest) {
  return fmt::format("nested more than {} deep", deepest);
}

// A key that stands twice, or null.
const std::string* repeated(const std::vector<std::string>& keys) {
  std::vector<const std::string*> sorted;
  sorted.reserve(keys.size());
  for (const std::string& key : keys) sorted.push_back(&key);
  std::sort(sorted.begin(), sorted.end(), [](const std::string* a, const std::string* b) { return *a < *b; });
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end(),
                                        [](const std::string* a, const std::string* b) { return *a == *b; });
  return twice == sorted.end() ? nullptr : *twice;
}

}  // namespace

JsonValue JsonCursor::read_value(const JsonLimits& limits) {
  JsonValue value;
  Count count;
  fill(value, 0, limits, count);
  return value;
}

void JsonCursor::fill(JsonValue& value, int depth, const JsonLimits& limits, Count& count) {
  value.kind = kind();
  const bool container = value.kind == JsonValue::Kind::array || value.kind == JsonValue::Kind::object;
  if (container && depth >= limits.deepest) fail(too_deep(limits.deepest));
  if (++count.values > limits.values) fail(fmt::format("more than {} values", limits.values));
  switch (value.kind) {
    case JsonValue::Kind::null:
      return read_word("null");
    case JsonValue::Kind::boolean:
      value.truth = json_[at_] == 't';
      return read_word(value.truth ? "true" : "false");
    case JsonValue::Kind::number: {
      const std::size_t begin = at_;
      read_number();
      value.text = json_.substr(begin, at_ - begin);
      if (value.text == "-0") value.text = "0";  // readers of whole numbers without a sign take it too
      return;
    }
    case JsonValue::Kind::string:
      return read_string(value.text);
    case JsonValue::Kind::array:
      for (bool more = enter('['); more; more = next(']')) fill(value.items.emplace_back(), depth + 1, limits, count);
      return;
    case JsonValue::Kind::object:
      for (bool more = enter('{'); more; more = next('}')) {
        read_key(value.keys.emplace_back());
        if (++count.keys > limits.keys) fail(fmt::format("more than {} keys", limits.keys));
        fill(value.items.emplace_back(), depth + 1, limits, count);
      }
      if (const std::string* twice = repeated(value.keys)) {
        fail(fmt::format("the key {} stands twice in the object that ends", in_quotes(*twice)));
      }
      return;
  }
}

void JsonCursor::skip_value() {
  skip(0);
}

void JsonCursor::skip(int depth) {
  std::string ignored;
  const JsonValue::Kind found = kind();
  const bool container = found == JsonValue::Kind::array || found == JsonValue::Kind::object;
  if (container && depth >= JsonLimits().deepest) fail(too_deep(JsonLimits().deepest));
  switch (found) {
    case JsonValue::Kind::null:
      return read_word("null");
    case JsonValue::Kind::boolean:
      return read_word(json_[at_] == 't' ? "true" : "false");
    case JsonValue::Kind::number:
      read_number_text();
      return;
    case JsonValue::Kind::string:
      return read_string(ignored);
    case JsonValue::Kind::array:
      for (bool more = enter('['); more; more = next(']')) skip(depth + 1);
      return;
    case JsonValue::Kind::object:
      for (bool more = enter('{'); more; more = next('}')) {
        read_key(ignored);
        skip(depth + 1);
      }
      return;
  }
}

std::vector<JsonCursor::Member> JsonCursor::read_members() {
  std::vector<Member> members;
  std::string key;
  for (bool more = enter('{'); more; more = next('}')) {
    read_key(key);
    const bool twice = std::any_of(members.begin(), members.end(), [&](const Member& one) { return one.key == key; });
    if (twice) fail(fmt::format("the key {} stands twice", in_quotes(key)));
    if (members.size() == kMostMembers) fail(fmt::format("an object of more than {} keys", kMostMembers));
    members.push_back({key, *this});
    skip_value();
  }
  return members;
}

}  // namespace headscope
