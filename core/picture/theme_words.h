// How the themes are spelled: in options, in sessions, in the settings and on screen.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/picture/palette.h"
#include "core/request/option_words.h"

namespace headscope {

// In the order of Theme: kThemeWords[i].value is Theme(i).
inline constexpr Word<Theme> kThemeWords[] = {
    {Theme::dark, "dark"}, {Theme::light, "light"}, {Theme::contrast, "contrast"}};

// The theme of that name; nothing where there is none.
inline std::optional<Theme> theme_named(std::string_view text) {
  for (const Word<Theme>& word : kThemeWords) {
    if (text == word.text) return word.value;
  }
  return std::nullopt;
}

inline const char* theme_word(Theme theme) {
  return kThemeWords[static_cast<std::size_t>(theme)].text;
}

// All names, in order.
inline std::vector<std::string> theme_names() {
  std::vector<std::string> names;
  for (const Word<Theme>& word : kThemeWords) names.emplace_back(word.text);
  return names;
}

}  // namespace headscope
