#include "core/text/json_part.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "core/base/error.h"
#include "core/base/message_text.h"

namespace headscope {

JsonPart JsonPart::at(std::string_view key) const {
  if (value_ == nullptr || value_->kind != JsonValue::Kind::object) refuse("an object");
  return {value_->find(key), fmt::format("{}.{}", where_, key)};
}

std::vector<JsonPart> JsonPart::items() const {
  if (value_ == nullptr || value_->kind != JsonValue::Kind::array) refuse("a list");
  std::vector<JsonPart> parts;
  for (std::size_t k = 0; k < value_->items.size(); ++k) {
    parts.emplace_back(&value_->items[k], fmt::format("{}[{}]", where_, k));
  }
  return parts;
}

const std::vector<std::string>& JsonPart::keys() const {
  if (value_ == nullptr || value_->kind != JsonValue::Kind::object) refuse("an object");
  return value_->keys;
}

const std::string& JsonPart::text() const {
  if (value_ == nullptr || value_->kind != JsonValue::Kind::string) refuse("a string");
  return value_->text;
}

bool JsonPart::flag() const {
  if (value_ == nullptr || value_->kind != JsonValue::Kind::boolean) refuse("true or false");
  return value_->truth;
}

std::int64_t JsonPart::integer(std::int64_t low, std::int64_t high) const {
  const std::string expected = fmt::format("a whole number from {} to {}", low, high);
  if (value_ == nullptr || value_->kind != JsonValue::Kind::number) refuse(expected);
  std::int64_t number = 0;
  const char* const end = value_->text.data() + value_->text.size();
  const auto read = std::from_chars(value_->text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < low || number > high) refuse(expected);
  return number;
}

void JsonPart::refuse(std::string_view expected) const {
  std::string found = "nothing";
  if (value_ != nullptr) {
    const bool short_text = value_->kind == JsonValue::Kind::string || value_->kind == JsonValue::Kind::number;
    found = short_text ? in_quotes(value_->text) : json_kind_name(value_->kind);
  }
  throw Error(fmt::format("{}: found {}; expected {}", where_, found, expected));
}

}  // namespace headscope
