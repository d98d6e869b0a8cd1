#include "core/picture/text/missing_letters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "core/base/message_text.h"
#include "core/base/utf8.h"
#include "core/picture/text/text_glyphs.h"

namespace headscope {

std::vector<std::uint32_t> letters_without_font(std::string_view utf8, FontRole role) {
  std::vector<std::uint32_t> missing;
  for (std::size_t at = 0; at < utf8.size();) {
    const CodePoint point = code_point_at(utf8, at);
    at += static_cast<std::size_t>(point.bytes);
    if (point.value < 0x20 || glyph_of(point.value, role).kind != GlyphId::Kind::box) continue;
    if (std::find(missing.begin(), missing.end(), point.value) == missing.end()) missing.push_back(point.value);
  }
  return missing;
}

std::string words_of_letters_without_font(std::string_view utf8, FontRole role) {
  constexpr std::size_t kMostNamed = 6;
  const std::vector<std::uint32_t> missing = letters_without_font(utf8, role);
  if (missing.empty()) return "";
  std::vector<std::string> named;
  for (std::size_t k = 0; k < std::min(missing.size(), kMostNamed); ++k) {
    std::string letter;
    append_utf8(letter, missing[k]);
    named.push_back(fmt::format("{} (U+{:04X})", in_quotes(letter), missing[k]));
  }
  const std::string more = missing.size() > kMostNamed ? fmt::format(" and {} more", missing.size() - kMostNamed) : "";
  return fmt::format(
      "no font at hand has {}{}: boxes with these numbers are printed in their place; install a font of their script, "
      "such as one of Noto's",
      fmt::join(named, ", "), more);
}

}  // namespace headscope
