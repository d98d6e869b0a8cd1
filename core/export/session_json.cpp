// Writing of sessions; session_file.cpp reads them.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/version.h"
#include "core/export/kept_arrays.h"
#include "core/export/session_file.h"
#include "core/io/json_text.h"
#include "core/picture/view_options.h"
#include "core/request/patch_source.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

std::string with(std::string text, char from, char to) {
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

// A numeric option's text as a JSON number: whole ones exactly, others as the double they stand for; a word as it is.
Json number_json(const std::string& text) {
  const char* end = text.data() + text.size();
  std::uint64_t whole = 0;
  if (const auto [next, error] = std::from_chars(text.data(), end, whole); error == std::errc() && next == end) {
    return whole;
  }
  double number = 0;
  if (const auto [next, error] = std::from_chars(text.data(), end, number); error == std::errc() && next == end) {
    return json_number(number);
  }
  return text;
}

// False for a number that no request can have: what stands in a field while one types, such as a width of 0.
bool reads_back(const RequestOption& option, const std::string& text) {
  try {
    Request probe;
    option.set(probe, text);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

void add_request(Json& json, const Request& request) {
  for (const RequestOption& option : request_options()) {
    const bool always = std::string_view(option.name) == "phrase";
    if (!always && !is_given(option, request)) continue;
    const std::string text = option.get(request);
    // One such number would cost everything else: the file could not be read.
    if (option.numeric && !is_flag(option) && !reads_back(option, text)) continue;
    const bool carried = std::string_view(option.name) == "patch-from" && carries_source(request);
    if (const Json source = carried ? Json::parse(text, nullptr, false) : Json(); source.is_object()) {
      json["patch_from"] = source;
      continue;
    }
    json[with(option.name, '-', '_')] = is_flag(option) ? Json(true) : option.numeric ? number_json(text) : Json(text);
  }
  if (const std::string arrays = kept_arrays_json(request); !arrays.empty()) json["arrays"] = Json::parse(arrays);
}

}  // namespace

std::string session_json(const Request& request, const std::optional<ViewSpec>& view, const std::string& window) {
  Json json = {{"headscope", kVersion}};
  add_request(json, request);
  if (view) json["view"] = Json::parse(view_json(*view));
  if (!window.empty()) json["window"] = Json::parse(window);
  return json_dump(json, 2) + "\n";
}

std::string request_json(const Request& request) {
  Json json = Json::object();
  add_request(json, request);
  return json_dump(json);
}

}  // namespace headscope
