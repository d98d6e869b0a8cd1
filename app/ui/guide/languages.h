// The languages of the window: the words of the tour and of the examples, and the translation of all others.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/widgets/translation.h"

namespace headscope::ui {

struct Rect;
struct Ui;

struct Language {
  std::string code;                                        // "es"
  std::string name;                                        // "Español"
  std::map<std::string, std::string> texts;                // by their path of keys: "tour/phrase/title"
  const std::string& text(const std::string& path) const;  // asserts that it exists
};

// A language with the texts of its file only. Throws Error that names `code` and what is wrong.
Language parse_language(const std::string& code, const std::string& json);

// All languages, sorted by code; English is among them. Texts that a file lacks are in English.
const std::vector<Language>& languages();
// Adds to every language the texts that it lacks, from the English one, which must be among them.
void complete_by_english(std::vector<Language>& all);

// The language of a setting: a code, or "auto" for that of the locale ("es_MX.UTF-8"). English when there is no such
// language.
const Language& language_for(std::string_view setting, std::string_view locale);
// The language of the settings.
const Language& language_of(const Ui& ui);

// The rows of assets/languages/window for a language: an English text, and the ways to say it. Throws Error that names
// `code` and what is wrong.
TranslationTable parse_window_words(const std::string& code, const std::string& json);
// The translation into the window's language, kept for the program's life; null for English, and for a language whose
// window is not translated. Called between frames: what ways() returned before may be gone.
Translation* translation_of(const Ui& ui);

// The locale of messages in the environment: LC_ALL, else LC_MESSAGES, else LANG; "" when none is set.
std::string message_locale();

// "Step {step} of {steps}" with the names replaced by values; a name without a value is unchanged.
std::string filled_in(std::string_view text, const std::map<std::string, std::string>& values);

// The names of all languages, once language_combo() showed them: their letters are in no other text.
struct LanguageNames {
  std::string letters;
  void add_text(std::string& all) const { all += letters; }
};

// A combo that chooses Settings::language: "System (English)", then every language by its name; its words are in
// `said_in`.
void language_combo(Ui& ui, const std::string& name, const Rect& place, const Language& said_in);

}  // namespace headscope::ui
