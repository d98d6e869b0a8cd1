// The words of the tour in every language that assets/tour has a file for.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::ui {

struct TourStepText {
  std::string title, text;
};

struct TourLanguage {
  std::string code;                          // "es"
  std::string name;                          // "Español"
  std::map<std::string, std::string> words;  // of buttons and the offer, by key
  std::map<std::string, TourStepText> steps;
  const std::string& word(const std::string& key) const;  // asserts that it is there
};

// By code; English is among them.
const std::vector<TourLanguage>& tour_languages();

// A language from the text of its file. Throws Error that names `code` and what is wrong.
TourLanguage parse_tour_language(const std::string& code, const std::string& json);

// The one that a setting asks for: a code, or "auto" for that of the locale ("es_MX.UTF-8"). English where there is
// none.
const TourLanguage& tour_language(std::string_view setting, std::string_view locale);

// What the environment says of messages: LC_ALL, else LC_MESSAGES, else LANG; "" when none is set.
std::string message_locale();

// "Step {step} of {steps}" with values for names; a name without a value stays as it is.
std::string filled_in(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace headscope::ui
