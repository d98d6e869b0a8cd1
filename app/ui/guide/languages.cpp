#include "app/ui/guide/languages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "app/session/settings.h"
#include "app/ui/guide/embedded_texts.h"
#include "app/ui/ui.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/io/json_text.h"

namespace headscope::ui {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '-' ? '_' : c;
  return result;
}

const Language* coded(const std::vector<Language>& all, std::string_view code) {
  for (const Language& language : all) {
    if (lower(language.code) == lower(code)) return &language;
  }
  return nullptr;
}

void read_texts(const JsonValue& from, const std::string& path, Language& into) {
  for (std::size_t i = 0; i < from.keys.size(); ++i) {
    const std::string here = path.empty() ? from.keys[i] : path + "/" + from.keys[i];
    const JsonValue& value = from.items[i];
    if (value.kind == JsonValue::Kind::object) {
      read_texts(value, here, into);
    } else if (value.kind == JsonValue::Kind::string) {
      into.texts[here] = value.text;
    } else {
      throw Error(
          fmt::format("language '{}': '{}' is {}; expected a string", into.code, here, json_kind_name(value.kind)));
    }
  }
}

}  // namespace

const std::string& Language::text(const std::string& path) const {
  const auto found = texts.find(path);
  HEADSCOPE_ASSERT(found != texts.end(), code + " has no text " + path);
  return found->second;
}

Language parse_language(const std::string& code, const std::string& json) {
  const JsonValue root = parse_strict_json(json, "language '" + code + "'");
  if (root.kind != JsonValue::Kind::object) {
    throw Error(fmt::format("language '{}': found {}; expected an object", code, json_kind_name(root.kind)));
  }
  Language language;
  language.code = code;
  read_texts(root, "", language);
  const auto name = language.texts.extract("name");
  if (name.empty() || name.mapped().empty()) throw Error(fmt::format("language '{}': 'name' is missing", code));
  language.name = name.mapped();
  return language;
}

void complete_by_english(std::vector<Language>& all) {
  const Language* english = coded(all, "en");
  HEADSCOPE_ASSERT(english != nullptr, "there are no English texts");
  const std::map<std::string, std::string> texts = english->texts;
  for (Language& language : all) language.texts.insert(texts.begin(), texts.end());
}

const std::vector<Language>& languages() {
  static const std::vector<Language> all = [] {
    std::vector<Language> read;
    for (const EmbeddedText& file : language_files()) read.push_back(parse_language(file.name, file.text));
    complete_by_english(read);
    return read;
  }();
  return all;
}

const Language& language_for(std::string_view setting, std::string_view locale) {
  const std::string_view wanted = setting == "auto" ? locale.substr(0, locale.find_first_of(".@")) : setting;
  // "es_MX" is served by "es_MX", else by "es".
  for (const std::string_view code : {wanted, wanted.substr(0, wanted.find_first_of("_-"))}) {
    if (const Language* found = coded(languages(), code)) return *found;
  }
  return *coded(languages(), "en");
}

const Language& language_of(const Ui& ui) {
  return language_for(ui.settings.language, message_locale());
}

TranslationTable parse_window_words(const std::string& code, const std::string& json) {
  const JsonValue root = parse_strict_json(json, "language '" + code + "'");
  const auto wrong = [&](const std::string& key, const JsonValue& found) {
    return Error(fmt::format("language '{}': '{}' is {}; expected a string or a list of strings", code, key,
                             json_kind_name(found.kind)));
  };
  if (root.kind != JsonValue::Kind::object) {
    throw Error(fmt::format("language '{}': found {}; expected an object", code, json_kind_name(root.kind)));
  }
  TranslationTable table;
  for (std::size_t k = 0; k < root.keys.size(); ++k) {
    const JsonValue& value = root.items[k];
    std::vector<std::string>& ways = table[root.keys[k]];
    if (value.kind == JsonValue::Kind::string) {
      ways.push_back(value.text);
      continue;
    }
    if (value.kind != JsonValue::Kind::array || value.items.empty()) throw wrong(root.keys[k], value);
    for (const JsonValue& way : value.items) {
      if (way.kind != JsonValue::Kind::string) throw wrong(root.keys[k], way);
      ways.push_back(way.text);
    }
  }
  return table;
}

Translation* translation_of(const Ui& ui) {
  const std::string& code = language_of(ui).code;
  static std::map<std::string, std::unique_ptr<Translation>> made;
  const auto [at, is_new] = made.try_emplace(code);
  if (is_new) {
    for (const EmbeddedText& file : window_files()) {
      if (file.name == code) at->second = std::make_unique<Translation>(parse_window_words(code, file.text));
    }
  }
  if (at->second != nullptr) at->second->forget();
  return at->second.get();
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

void language_combo(Ui& ui, const std::string& name, const Rect& place, const Language& said_in) {
  const std::string& system = language_for("auto", message_locale()).name;
  std::vector<std::string> lines = {filled_in(said_in.text("words/automatic"), {{"language", system}})};
  int chosen = 0;
  std::string& letters = ui.state.panels.get<LanguageNames>().letters;
  letters.clear();
  for (const Language& language : languages()) {
    if (language.code == ui.settings.language) chosen = static_cast<int>(lines.size());
    lines.push_back(language.name);
    letters += language.name;
  }
  const ControlState state{true, false, "The language of the window: the system's, or one of these."};
  if (!combo(ui, name, place, lines, chosen, {state, Type::words12, true})) return;
  ui.settings.language = chosen == 0 ? "auto" : languages()[static_cast<std::size_t>(chosen) - 1].code;
  ui.state.wants_frame = true;
}

}  // namespace headscope::ui
