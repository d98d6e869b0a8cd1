// The names of tokens as panels show them: a token may be megabytes long, its name on screen is not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headscope::ui {

inline constexpr std::size_t kLongestName = 256;  // bytes

// The text, or its beginning of at most `most` bytes, which ends between two characters.
inline std::string_view beginning_of(std::string_view text, std::size_t most = kLongestName) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

// The name, or its beginning with an ellipsis.
inline std::string shown_name(std::string_view name) {
  const std::string_view beginning = beginning_of(name);
  std::string shown(beginning);
  if (beginning.size() < name.size()) shown += "\xE2\x80\xA6";
  return shown;
}

}  // namespace headscope::ui
