// The table of VIEW read row by row: a view as JSON and back.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/io/json_text.h"
#include "core/picture/view_options.h"

namespace headscope {

namespace {

std::string key_of(const ViewOption& option) {
  std::string key = option.name;
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

template <typename T>
T number_of(const std::string& text) {
  T number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

nlohmann::ordered_json json_of(const ViewOption& option, const std::string& text) {
  switch (option.json) {
    case ViewOption::Json::whole: {
      // A width with its unit is text, and so are tokens.
      std::int64_t whole = 0;
      const char* const end = text.data() + text.size();
      const auto [next, error] = std::from_chars(text.data(), end, whole);
      if (error != std::errc() || next != end || std::to_string(whole) != text) break;
      return whole;
    }
    case ViewOption::Json::real:
      return number_of<double>(text);
    case ViewOption::Json::flag:
      return text == "on";
    case ViewOption::Json::text:
      break;
  }
  return text;
}

}  // namespace

const ViewOption* find_view_option(std::string_view name) {
  for (const ViewOption& option : view_options()) {
    if (name == option.name) return &option;
  }
  return nullptr;
}

bool is_default(const ViewOption& option, const ViewSpec& view) {
  return option.get(view) == option.get(ViewSpec{});
}

std::string view_json(const ViewSpec& view) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const ViewOption& option : view_options()) {
    if (!is_default(option, view)) json[key_of(option)] = json_of(option, option.get(view));
  }
  return json_dump(json);
}

bool set_view_value(ViewSpec& view, std::string_view key, const std::string& text) {
  for (const ViewOption& option : view_options()) {
    if (key != key_of(option)) continue;
    option.set(view, text);
    return true;
  }
  return false;
}

}  // namespace headscope
