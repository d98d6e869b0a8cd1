#include "core/io/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/utf8.h"

namespace headscope {

namespace {

constexpr std::size_t kLargestText = std::size_t{16} << 20;
constexpr std::size_t kDeepest = 16;
constexpr std::size_t kMostValues = 1'000'000;

// Builds JsonValues from the parser's events; `problem` says why it stopped.
class ValueEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonValue root;
  std::string problem;

  bool null() override { return add({}) != nullptr; }
  bool boolean(bool value) override {
    JsonValue* added = add(JsonValue::Kind::boolean);
    if (added != nullptr) added->truth = value;
    return added != nullptr;
  }
  bool number_integer(std::int64_t value) override { return add_text(JsonValue::Kind::number, std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) override {
    return add_text(JsonValue::Kind::number, std::to_string(value));
  }
  bool number_float(double, const std::string& text) override { return add_text(JsonValue::Kind::number, text); }
  bool string(std::string& value) override { return add_text(JsonValue::Kind::string, std::move(value)); }
  bool binary(binary_t&) override { return fail("binary data"); }
  bool start_object(std::size_t) override { return open(JsonValue::Kind::object); }
  bool start_array(std::size_t) override { return open(JsonValue::Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    Level& level = open_.back();
    if (!level.keys.insert(name).second) return fail(fmt::format("the key {} stands twice", in_quotes(name)));
    level.value->keys.push_back(std::move(name));
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    problem = fmt::format("not valid JSON at byte {}: {}", position, json_detail(error.what()));
    return false;
  }

 private:
  // A container that is being filled. Its address holds while it is open: its parent gets no further item meanwhile.
  struct Level {
    JsonValue* value;
    std::unordered_set<std::string> keys;
  };

  bool fail(std::string sentence) {
    problem = std::move(sentence);
    return false;
  }

  JsonValue* add(JsonValue::Kind kind) {
    if (++values_ > kMostValues) {
      problem = fmt::format("more than {} values", kMostValues);
      return nullptr;
    }
    JsonValue* place = &root;
    if (!open_.empty()) {
      place = &open_.back().value->items.emplace_back();
    }
    place->kind = kind;
    return place;
  }

  bool add_text(JsonValue::Kind kind, std::string text) {
    JsonValue* added = add(kind);
    if (added != nullptr) added->text = std::move(text);
    return added != nullptr;
  }

  bool open(JsonValue::Kind kind) {
    if (open_.size() >= kDeepest) return fail(fmt::format("nested more than {} deep", kDeepest));
    JsonValue* added = add(kind);
    if (added != nullptr) open_.push_back({added, {}});
    return added != nullptr;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<Level> open_;
  std::size_t values_ = 0;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

const char* json_kind_name(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::null:
      return "null";
    case JsonValue::Kind::boolean:
      return "a boolean";
    case JsonValue::Kind::number:
      return "a number";
    case JsonValue::Kind::string:
      return "a string";
    case JsonValue::Kind::array:
      return "a list";
    case JsonValue::Kind::object:
      return "an object";
  }
  return "";
}

JsonValue parse_strict_json(std::string_view json, const std::string& what) {
  if (json.size() > kLargestText) {
    throw Error(fmt::format("{}: {} bytes of JSON; at most {} are read", what, json.size(), kLargestText));
  }
  if (json.starts_with("\xEF\xBB\xBF")) {
    throw Error(fmt::format("{}: begins with a byte order mark; save it as UTF-8 without one", what));
  }
  if (const std::size_t nul = json.find('\0'); nul != json.npos) {
    throw Error(fmt::format("{}: not valid JSON: a NUL at byte {}", what, nul));
  }
  if (const std::size_t bad = first_invalid_byte(json); bad != json.npos) {
    throw Error(fmt::format("{}: not valid JSON: byte {} (0x{:02X}) is not UTF-8", what, bad,
                            static_cast<unsigned char>(json[bad])));
  }
  ValueEvents events;
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &events)) {
    throw Error(fmt::format("{}: {}", what, events.problem));
  }
  return std::move(events.root);
}

std::string json_detail(std::string_view message) {
  for (const std::string_view prefix : {std::string_view("syntax error "), std::string_view("] ")}) {
    const std::size_t at = message.find(prefix);
    if (at != message.npos) {
      message.remove_prefix(at + prefix.size());
      break;
    }
  }
  return shortened(message);
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
