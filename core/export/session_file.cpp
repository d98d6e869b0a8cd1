#include "core/export/session_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/version.h"
#include "core/io/atomic_file.h"
#include "core/io/document_recipe.h"
#include "core/io/json_text.h"
#include "core/io/mapped_file.h"
#include "core/io/png.h"
#include "core/picture/view_options.h"
#include "core/request/intervention_kinds.h"
#include "core/request/request_text.h"

namespace headscope {

namespace {

constexpr std::size_t kLargestJson = std::size_t{16} << 20;
constexpr std::size_t kLargestPiped = std::size_t{256} << 20;

using Json = nlohmann::ordered_json;
using Kind = JsonValue::Kind;

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
    json[with(option.name, '-', '_')] = is_flag(option) ? Json(true) : option.numeric ? number_json(text) : Json(text);
  }
}

// What stands at "key" of `what`, in a sentence.
[[noreturn]] void refuse(const std::string& what, std::string_view key, const std::string& detail) {
  throw Error(fmt::format("{}: {}: {}", what, in_quotes(key), detail));
}

// A value as the user would type it: a list joined by `separator`, a boolean as on or off.
std::string typed_text(const JsonValue& value, const std::string& what, std::string_view key, bool boolean,
                       char separator = ',') {
  switch (value.kind) {
    case Kind::number:
    case Kind::string:
      return value.text;
    case Kind::boolean:
      if (boolean) return value.truth ? "on" : "off";
      break;
    case Kind::array: {
      std::string text;
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        const JsonValue& item = value.items[i];
        if (item.kind != Kind::number && item.kind != Kind::string) {
          refuse(what, key, fmt::format("the list holds {}; expected numbers or strings", json_kind_name(item.kind)));
        }
        if (i > 0) text += separator;
        text += item.text;
      }
      return text;
    }
    default:
      break;
  }
  refuse(what, key, fmt::format("found {}; expected a number, a string or a list", json_kind_name(value.kind)));
}

// Runs `set`, whose UsageError about an option becomes an Error about the file's own key.
template <typename Set>
auto in_file(const std::string& what, std::string_view key, const Set& set) {
  try {
    return set();
  } catch (const UsageError& error) {
    refuse(what, key, error.reason());
  }
}

const RequestOption* option_of_key(std::string_view key) {
  return key.find('-') == key.npos ? find_request_option(with(std::string(key), '_', '-')) : nullptr;
}

void read_request_value(Request& request, const RequestOption& option, std::string_view key, const JsonValue& value,
                        const std::string& what) {
  const std::string_view name = option.name;
  const bool text_only = name == "phrase" || name == "key-phrase" || name == "decoder-phrase";
  if (text_only && value.kind != Kind::string) {
    refuse(what, key, fmt::format("found {}; expected a string", json_kind_name(value.kind)));
  }
  char separator = ',';
  bool is_list = name == "mask" || name == "token-ids" || name == "decoder-ids" || name == "variant";
  for_each_kind([&](const auto& kind) {
    if (name != kind.option.name) return;
    separator = kind.option.separator;
    is_list = true;
  });
  if (is_list && value.kind == Kind::array && value.items.empty()) return;  // the default
  in_file(what, key, [&] { option.set(request, typed_text(value, what, key, is_flag(option), separator)); });
}

ViewSpec read_view(const JsonValue& value, const std::string& what) {
  if (value.kind != Kind::object) {
    refuse(what, "view", fmt::format("found {}; expected an object", json_kind_name(value.kind)));
  }
  ViewSpec view;
  // Which view it is comes first, wherever it stands: it says what others mean.
  for (const bool kind : {true, false}) {
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const std::string& key = value.keys[i];
      if ((key == "view") != kind) continue;
      const std::string text = typed_text(value.items[i], what, "view." + key, true);
      const bool known = in_file(what, "view." + key, [&] { return set_view_value(view, key, text); });
      if (!known) refuse(what, "view." + key, "unknown key");
    }
  }
  return view;
}

Request read_request(const JsonValue& value, const std::string& what, const std::string& name) {
  if (value.kind != Kind::object) {
    refuse(what, name, fmt::format("found {}; expected an object", json_kind_name(value.kind)));
  }
  Request request;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const RequestOption* option = option_of_key(value.keys[i]);
    if (option == nullptr) refuse(what, value.keys[i], "unknown key in \"" + name + "\"");
    read_request_value(request, *option, value.keys[i], value.items[i], what);
  }
  return request;
}

// The object at "window" of a session that parse_strict_json() took.
std::string window_text(const std::string& json, const std::string& what) {
  try {
    return json_dump(Json::parse(json).at("window"));
  } catch (const Json::exception&) {
    refuse(what, "window", "the file holds a number that is too large");
  }
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

SessionFile parse_session(const std::string& json, const std::string& what) {
  const JsonValue root = parse_strict_json(json, what);
  if (root.kind != Kind::object) {
    throw Error(fmt::format("{}: found {}; expected a session, an object such as {{\"phrase\": \"a b c\"}}", what,
                            json_kind_name(root.kind)));
  }
  SessionFile session;
  const JsonValue* nested = root.find("request");
  // A manifest holds its run's request beside much else that no session has.
  const bool manifest = nested != nullptr && root.find("stages") != nullptr;
  if (nested != nullptr) session.request = read_request(*nested, what, "request");
  for (std::size_t i = 0; i < root.items.size() && !manifest; ++i) {
    const std::string& key = root.keys[i];
    const JsonValue& value = root.items[i];
    if (key == "request") continue;
    if (key == "headscope" || key == "sha256") {
      if (value.kind != Kind::string) {
        refuse(what, key, fmt::format("found {}; expected a string", json_kind_name(value.kind)));
      }
      if (key == "sha256") session.weights_sha256 = value.text;
    } else if (key == "view") {
      session.view = read_view(value, what);
    } else if (key == "window") {
      if (value.kind != Kind::object) {
        refuse(what, key, fmt::format("found {}; expected an object", json_kind_name(value.kind)));
      }
      session.window = window_text(json, what);
    } else if (key == "against") {
      session.against = read_request(value, what, key);
    } else if (const RequestOption* option = option_of_key(key)) {
      if (nested != nullptr) refuse(what, key, "stands beside \"request\"; expected it inside");
      read_request_value(session.request, *option, key, value, what);
    } else {
      refuse(what, key, fmt::format("unknown key (a session of Headscope {} has none of that name)", kVersion));
    }
  }
  return session;
}

namespace {

SessionFile session_of(std::span<const std::byte> bytes, const std::string& path) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x89PNG")) {
    const PngInfo info = parse_png_info(bytes, path);
    const auto recipe = info.texts.find("headscope");
    if (recipe == info.texts.end()) {
      throw Error(
          fmt::format("{}: a picture without Headscope's recipe; expected one that Headscope exported "
                      "(other programs may have removed it)",
                      path));
    }
    return parse_session(recipe->second, path + " (its recipe)");
  }
  if (const DocumentFormat* format = document_format_of(text)) {
    const auto recipe = format->recipe(text, path);
    if (!recipe) {
      throw Error(
          fmt::format("{}: a drawing without Headscope's recipe; expected one that Headscope exported "
                      "(other programs may have removed it)",
                      path));
    }
    return parse_session(*recipe, path + " (its recipe)");
  }
  const std::string seen = describe_bytes(bytes);
  if (!seen.empty() && seen != "JSON text") {
    throw Error(
        fmt::format("{}: not a session: it is {}; expected JSON or a picture exported by Headscope", path, seen));
  }
  if (bytes.size() > kLargestJson) {
    throw Error(fmt::format("{}: not a session: {} bytes; at most {} are read", path, bytes.size(), kLargestJson));
  }
  return parse_session(std::string(text), path);
}

}  // namespace

SessionFile read_session(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_fifo(path, ignored)) {  // a shell's <(...)
    const std::string piped = read_small_file(path, kLargestPiped);
    return session_of(std::as_bytes(std::span(piped)), path);
  }
  const auto file = MappedFile::open(path);
  SessionFile session = session_of(file->bytes(), path);
  file->check_unchanged();
  return session;
}

}  // namespace headscope
