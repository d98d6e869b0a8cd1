#include "core/model/config_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/message_text.h"
#include "core/io/python_json.h"

namespace headscope {

std::string shown_value(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::boolean:
      return value.truth ? "true" : "false";
    case JsonValue::Kind::number:
      return shortened(value.text);
    case JsonValue::Kind::string:
      if (const std::string_view number = python_number(value.text); !number.empty()) return std::string(number);
      return in_quotes(value.text);
    default:
      return json_kind_name(value.kind);
  }
}

std::string first_ten(const std::vector<std::string>& items, const char* separator) {
  constexpr std::size_t kShown = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), kShown); ++i) text += (i > 0 ? separator : "") + items[i];
  if (items.size() > kShown) text += fmt::format(" and {} more", items.size() - kShown);
  return text;
}

bool ConfigReader::holds_null(std::string_view key) const {
  const JsonValue* value = object_.find(key);
  return value != nullptr && value->kind == JsonValue::Kind::null;
}

const JsonValue* ConfigReader::find(std::string_view key) const {
  if (key.empty()) return nullptr;
  const JsonValue* value = object_.find(key);
  return value == nullptr || value->kind == JsonValue::Kind::null ? nullptr : value;
}

void ConfigReader::add_problem(std::string problem) {
  problems_.push_back(std::move(problem));
}

std::int64_t ConfigReader::whole(std::string_view key, std::int64_t least, std::int64_t most,
                                 std::optional<std::int64_t> otherwise) {
  const JsonValue* value = find(key);
  if (value == nullptr && otherwise) return *otherwise;
  if (value == nullptr) {
    add_problem(fmt::format("{} is missing", key));
    return least;
  }
  std::int64_t number = 0;
  const std::string& digits = value->text;
  const char* end = digits.data() + digits.size();
  const auto [at, failure] = std::from_chars(digits.data(), end, number);
  if (value->kind == JsonValue::Kind::number && failure == std::errc() && at == end && number >= least &&
      number <= most) {
    return number;
  }
  add_problem(fmt::format("{} is {}, expected a whole number from {} to {}", key, shown_value(*value), least, most));
  return least;
}

double ConfigReader::positive(std::string_view key, std::optional<double> otherwise) {
  const JsonValue* value = find(key);
  if (value == nullptr && otherwise) return *otherwise;
  if (value == nullptr) {
    add_problem(fmt::format("{} is missing", key));
    return 1;
  }
  double number = 0;
  const std::string& digits = value->text;
  const char* end = digits.data() + digits.size();
  const auto [at, failure] = std::from_chars(digits.data(), end, number);
  if (value->kind == JsonValue::Kind::number && failure == std::errc() && at == end && std::isfinite(number) &&
      number > 0) {
    return number;
  }
  add_problem(fmt::format("{} is {}, expected a number above 0", key, shown_value(*value)));
  return 1;
}

bool ConfigReader::truth(std::string_view key, bool otherwise) {
  const JsonValue* value = find(key);
  if (value == nullptr) return otherwise;
  if (value->kind == JsonValue::Kind::boolean) return value->truth;
  add_problem(fmt::format("{} is {}, expected true or false", key, shown_value(*value)));
  return otherwise;
}

std::string ConfigReader::text(std::string_view key, std::string_view otherwise) {
  const JsonValue* value = find(key);
  if (value == nullptr) return std::string(otherwise);
  if (value->kind == JsonValue::Kind::string) return value->text;
  add_problem(fmt::format("{} is {}, expected a string", key, shown_value(*value)));
  return std::string(otherwise);
}

}  // namespace headscope
