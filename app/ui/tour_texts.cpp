#include "app/ui/tour_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "app/ui/embedded_texts.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/io/json_text.h"

namespace headscope::ui {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '-' ? '_' : c;
  return result;
}

const TourLanguage* language_of(std::string_view code) {
  for (const TourLanguage& language : tour_languages()) {
    if (lower(language.code) == lower(code)) return &language;
  }
  return nullptr;
}

const JsonValue& member(const JsonValue& object, const std::string& key, JsonValue::Kind kind,
                        const std::string& code) {
  const JsonValue* found = object.find(key);
  if (found == nullptr || found->kind != kind) {
    throw Error(fmt::format("tour texts '{}': '{}' is {}; expected {}", code, key,
                            found == nullptr ? "missing" : json_kind_name(found->kind), json_kind_name(kind)));
  }
  return *found;
}

}  // namespace

const std::string& TourLanguage::word(const std::string& key) const {
  const auto found = words.find(key);
  HEADSCOPE_ASSERT(found != words.end(), code + " has no word " + key);
  return found->second;
}

TourLanguage parse_tour_language(const std::string& code, const std::string& json) {
  using Kind = JsonValue::Kind;
  const JsonValue root = parse_strict_json(json, "tour texts '" + code + "'");
  TourLanguage language;
  language.code = code;
  language.name = member(root, "name", Kind::string, code).text;
  const JsonValue& words = member(root, "words", Kind::object, code);
  for (const std::string& key : words.keys) language.words[key] = member(words, key, Kind::string, code).text;
  const JsonValue& steps = member(root, "steps", Kind::object, code);
  for (const std::string& key : steps.keys) {
    const JsonValue& step = member(steps, key, Kind::object, code);
    language.steps[key] = {member(step, "title", Kind::string, code).text,
                           member(step, "text", Kind::string, code).text};
  }
  return language;
}

const std::vector<TourLanguage>& tour_languages() {
  static const std::vector<TourLanguage> all = [] {
    std::vector<TourLanguage> languages;
    for (const EmbeddedText& file : tour_files()) languages.push_back(parse_tour_language(file.name, file.text));
    return languages;
  }();
  return all;
}

const TourLanguage& tour_language(std::string_view setting, std::string_view locale) {
  std::string_view wanted = setting == "auto" ? locale.substr(0, locale.find_first_of(".@")) : setting;
  // "es_MX" is served by "es_MX", else by "es".
  for (const TourLanguage* found :
       {language_of(wanted), language_of(wanted.substr(0, wanted.find_first_of("_-"))), language_of("en")}) {
    if (found != nullptr) return *found;
  }
  HEADSCOPE_ASSERT(false, "there are no English texts of the tour");
  return tour_languages().front();
}

std::string message_locale() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && value[0] != '\0') return value;
  }
  return "";
}

std::string filled_in(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string result;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    result += text.substr(0, open);
    text.remove_prefix(open);
    const std::size_t close = text.find('}');
    if (text.empty() || close == std::string_view::npos) break;
    const auto value = values.find(std::string(text.substr(1, close - 1)));
    result += value != values.end() ? value->second : std::string(text.substr(0, close + 1));
    text.remove_prefix(close + 1);
  }
  return result + std::string(text);
}

}  // namespace headscope::ui
