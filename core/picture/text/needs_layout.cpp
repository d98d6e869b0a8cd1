#include "core/picture/text/needs_layout.h"

#include <utf8proc.h>

#include "core/base/utf8.h"
#include "core/picture/text/text_glyphs.h"
#include "core/picture/text/text_stretches.h"

namespace headscope {
namespace {

bool is_mark(std::uint32_t code_point) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

// Joins what stands beside it into one grapheme: parts of a Korean syllable, of a flag, of an emoji.
bool joins_neighbours(std::uint32_t c) {
  return c == 0x200D || (c >= 0x1100 && c <= 0x11FF) || (c >= 0xA960 && c <= 0xA97F) || (c >= 0xD7B0 && c <= 0xD7FF) ||
         (c >= 0x1F1E6 && c <= 0x1F1FF) || (c >= 0x1F3FB && c <= 0x1F3FF);
}

}  // namespace

bool needs_layout(std::uint32_t code_point) {
  if (code_point < 0x300) return false;
  return !is_plain(code_point) || joins_neighbours(code_point) || (is_mark(code_point) && !takes_no_room(code_point));
}

bool needs_layout(std::string_view utf8) {
  for (std::size_t at = 0; at < utf8.size();) {
    if (static_cast<unsigned char>(utf8[at]) < 0x80) {
      ++at;
      continue;
    }
    const CodePoint point = code_point_at(utf8, at);
    at += static_cast<std::size_t>(point.bytes);
    if (point.valid && needs_layout(point.value)) return true;
  }
  return false;
}

}  // namespace headscope
