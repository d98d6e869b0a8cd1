// The words of the tour and of the examples in every language that assets/languages has a file for.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::ui {

struct Rect;
struct Ui;

struct Language {
  std::string code;                                        // "es"
  std::string name;                                        // "Español"
  std::map<std::string, std::string> texts;                // by the keys on the way to them: "tour/phrase/title"
  const std::string& text(const std::string& path) const;  // asserts that it is there
};

// A language from the text of its file, with what stands there. Throws Error that names `code` and what is wrong.
Language parse_language(const std::string& code, const std::string& json);

// By code; English is among them. What a file lacks is there in English.
const std::vector<Language>& languages();
// Gives every language what it lacks of the English one, which is among them.
void complete_by_english(std::vector<Language>& all);

// The one that a setting asks for: a code, or "auto" for that of the locale ("es_MX.UTF-8"). English where there is
// none.
const Language& language_for(std::string_view setting, std::string_view locale);
// The one of the settings.
const Language& language_of(const Ui& ui);

// What the environment says of messages: LC_ALL, else LC_MESSAGES, else LANG; "" when none is set.
std::string message_locale();

// "Step {step} of {steps}" with values for names; a name without a value stays as it is.
std::string filled_in(std::string_view text, const std::map<std::string, std::string>& values);

// Chooses Settings::language: "System (English)", then every language by its name, as `said_in` says it.
void language_combo(Ui& ui, const std::string& name, const Rect& place, const Language& said_in);

}  // namespace headscope::ui
