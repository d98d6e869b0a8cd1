#include "core/picture/text/missing_letters.h"

#include <algorithm>
#include <cstddef>

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

}  // namespace headscope
