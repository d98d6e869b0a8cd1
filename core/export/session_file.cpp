#include "core/export/session_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/version.h"
#include "core/export/kept_arrays.h"
#include "core/export/recipe_weights.h"
#include "core/export/session_text.h"
#include "core/io/json_text.h"
#include "core/picture/view_options.h"
#include "core/request/intervention_kinds.h"
#include "core/request/request_text.h"

namespace headscope {

namespace {

using Json = nlohmann::ordered_json;
using Kind = JsonValue::Kind;

std::string with(std::string text, char from, char to) {
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

// What stands at "key" of `what`, in a sentence.
[[noreturn]] void refuse_session(const std::string& what, std::string_view key, const std::string& detail) {
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
          refuse_session(what, key,
                         fmt::format("the list holds {}; expected numbers or strings", json_kind_name(item.kind)));
        }
        if (i > 0) text += separator;
        text += item.text;
      }
      return text;
    }
    default:
      break;
  }
  refuse_session(what, key, fmt::format("found {}; expected a number, a string or a list", json_kind_name(value.kind)));
}

// Runs `set`, whose UsageError about an option becomes an Error about the file's own key.
template <typename Set>
auto in_file(const std::string& what, std::string_view key, const Set& set) {
  try {
    return set();
  } catch (const UsageError& error) {
    refuse_session(what, key, error.reason());
  }
}

const RequestOption* option_of_key(std::string_view key) {
  return key.find('-') == key.npos ? find_request_option(with(std::string(key), '_', '-')) : nullptr;
}

Request read_request(const JsonValue& value, const std::string& what, const std::string& name);

void read_request_value(Request& request, const RequestOption& option, std::string_view key, const JsonValue& value,
                        const std::string& what) {
  const std::string_view name = option.name;
  if (name == "patch-from" && value.kind == Kind::object) {
    request.patch_from = request_json(read_request(value, what, "patch_from"));
    return;
  }
  const bool text_only = name == "phrase" || name == "key-phrase" || name == "decoder-phrase";
  if (text_only && value.kind != Kind::string) {
    refuse_session(what, key, fmt::format("found {}; expected a string", json_kind_name(value.kind)));
  }
  char separator = ',';
  bool is_list = name == "mask" || name == "token-ids" || name == "decoder-ids" || name == "lengths" ||
                 name == "variant" || name == "adapter";
  if (name == "adapter") separator = ';';
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
    refuse_session(what, "view", fmt::format("found {}; expected an object", json_kind_name(value.kind)));
  }
  ViewSpec view;
  // Which view it is comes first, wherever it stands: it says what others mean.
  for (const bool kind : {true, false}) {
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const std::string& key = value.keys[i];
      if ((key == "view") != kind) continue;
      const std::string text = typed_text(value.items[i], what, "view." + key, true);
      const bool known = in_file(what, "view." + key, [&] { return set_view_value(view, key, text); });
      if (!known) refuse_session(what, "view." + key, "unknown key");
    }
  }
  return view;
}

Request read_request(const JsonValue& value, const std::string& what, const std::string& name) {
  if (value.kind != Kind::object) {
    refuse_session(what, name, fmt::format("found {}; expected an object", json_kind_name(value.kind)));
  }
  Request request;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (value.keys[i] == kKeptArrays) continue;
    const RequestOption* option = option_of_key(value.keys[i]);
    if (option == nullptr) refuse_session(what, value.keys[i], "unknown key in \"" + name + "\"");
    read_request_value(request, *option, value.keys[i], value.items[i], what);
  }
  read_kept_arrays(value.find(kKeptArrays), what, request);
  return request;
}

// The object at "window" of a session that parse_strict_json() took.
std::string window_text(const std::string& json, const std::string& what) {
  try {
    return json_dump(Json::parse(json).at("window"));
  } catch (const Json::exception&) {
    refuse_session(what, "window", "the file holds a number that is too large");
  }
}

}  // namespace

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
  const JsonValue* of_manifest = manifest ? root.find("weights_sha256") : nullptr;
  if (of_manifest != nullptr && of_manifest->kind == Kind::string) session.weights_sha256 = of_manifest->text;
  for (std::size_t i = 0; i < root.items.size() && !manifest; ++i) {
    const std::string& key = root.keys[i];
    const JsonValue& value = root.items[i];
    if (key == "request") continue;
    if (key == kKeptArrays && nested == nullptr) continue;
    if (key == "headscope" || key == "sha256") {
      if (value.kind != Kind::string) {
        refuse_session(what, key, fmt::format("found {}; expected a string", json_kind_name(value.kind)));
      }
      if (key == "sha256") session.weights_sha256 = value.text;
    } else if (key == "used_weights" || key == "against_used_weights") {
      used_weights_from(value, what, key);
    } else if (key == "view") {
      session.view = read_view(value, what);
    } else if (key == "window") {
      if (value.kind != Kind::object) {
        refuse_session(what, key, fmt::format("found {}; expected an object", json_kind_name(value.kind)));
      }
      session.window = window_text(json, what);
    } else if (key == "against") {
      session.against = read_request(value, what, key);
    } else if (key == "theirs") {
      if (value.kind != Kind::string || value.text.empty()) {
        refuse_session(what, key,
                       fmt::format("found {}; expected the name of a file",
                                   value.kind == Kind::string ? "an empty string" : json_kind_name(value.kind)));
      }
      session.theirs = value.text;
    } else if (const RequestOption* option = option_of_key(key)) {
      if (nested != nullptr) refuse_session(what, key, "stands beside \"request\"; expected it inside");
      read_request_value(session.request, *option, key, value, what);
    } else {
      refuse_session(what, key, fmt::format("unknown key (a session of Headscope {} has none of that name)", kVersion));
    }
  }
  if (nested == nullptr) read_kept_arrays(root.find(kKeptArrays), what, session.request);
  return session;
}

SessionFile read_session(const std::string& path) {
  const SessionText text = read_session_text(path);
  return parse_session(text.json, text.what);
}

}  // namespace headscope
