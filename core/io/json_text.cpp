#include "core/io/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/io/json_cursor.h"

namespace headscope {

namespace {

constexpr std::size_t kLargestText = std::size_t{16} << 20;
// Held, a value takes a hundred bytes and more: a file of 16 MB must not take ten times that.
constexpr JsonLimits kLimits = {.deepest = 16, .values = 500'000, .keys = 200'000};

}  // namespace

JsonValue parse_strict_json(std::string_view json, const std::string& what) {
  if (json.size() > kLargestText) {
    throw Error(fmt::format("{}: {} bytes of JSON; at most {} are read", what, json.size(), kLargestText));
  }
  JsonCursor cursor(json, what);
  JsonValue value = cursor.read_value(kLimits);
  cursor.finish();
  return value;
}

std::string json_dump(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::ordered_json json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return value;
}

}  // namespace headscope
