#include "core/picture/text/text_stretches.h"

#include <algorithm>

#include "core/base/utf8.h"
#include "core/picture/text/text_glyphs.h"
#include "core/text/visual_order.h"

namespace headscope {

namespace {

hb_script_t script_of(std::uint32_t code_point) {
  return hb_unicode_script(hb_unicode_funcs_get_default(), code_point);
}

bool is_shaped(std::u32string_view grapheme) {
  const auto seen = std::count_if(grapheme.begin(), grapheme.end(),
                                  [](char32_t point) { return point >= 0x20 && !takes_no_room(point); });
  return seen > 1 || (seen == 1 && !std::all_of(grapheme.begin(), grapheme.end(), is_plain));
}

}  // namespace

bool is_plain(std::uint32_t code_point) {
  if (code_point < 0x300) return true;
  return is_plain_script(script_of(code_point)) && !turns_the_line(code_point);
}

LineCharacters::LineCharacters(std::string_view utf8) {
  points.reserve(utf8.size());
  bytes.reserve(utf8.size() + 1);
  for (std::size_t at = 0; at < utf8.size();) {
    const CodePoint point = code_point_at(utf8, at);
    points.push_back(static_cast<char32_t>(point.value));
    bytes.push_back(at);
    at += static_cast<std::size_t>(point.bytes);
  }
  bytes.push_back(utf8.size());
}

bool is_plain_script(hb_script_t script) {
  switch (script) {
    case HB_SCRIPT_COMMON:
    case HB_SCRIPT_INHERITED:
    case HB_SCRIPT_UNKNOWN:
    case HB_SCRIPT_LATIN:
    case HB_SCRIPT_GREEK:
    case HB_SCRIPT_CYRILLIC:
    case HB_SCRIPT_ARMENIAN:
    case HB_SCRIPT_GEORGIAN:
    case HB_SCRIPT_HAN:
    case HB_SCRIPT_HIRAGANA:
    case HB_SCRIPT_KATAKANA:
    case HB_SCRIPT_BOPOMOFO:
    case HB_SCRIPT_HANGUL:
    case HB_SCRIPT_YI:
    case HB_SCRIPT_ETHIOPIC:
    case HB_SCRIPT_CHEROKEE:
    case HB_SCRIPT_CANADIAN_SYLLABICS:
    case HB_SCRIPT_OGHAM:
    case HB_SCRIPT_RUNIC:
    case HB_SCRIPT_BRAILLE:
      return true;
    default:
      return false;
  }
}

std::vector<LineGrapheme> graphemes_of(std::string_view utf8, const LineCharacters& line, FontRole role) {
  const std::vector<std::int8_t> levels = embedding_levels(line.points);
  std::vector<LineGrapheme> graphemes;
  for (std::size_t first = 0; first < line.points.size();) {
    const std::size_t end_byte = next_grapheme(utf8, line.bytes[first]);
    std::size_t end = first + 1;
    while (line.bytes[end] < end_byte) ++end;
    LineGrapheme grapheme{first, end, levels[first]};
    const std::u32string_view points = std::u32string_view(line.points).substr(first, end - first);
    if (is_shaped(points)) {
      grapheme.face = face_of_all(points, role);
      if (grapheme.face >= 0 && shaping_font(grapheme.face) == nullptr) grapheme.face = -1;
    }
    for (std::size_t k = first; k < end && grapheme.script == HB_SCRIPT_COMMON; ++k) {
      const hb_script_t script = script_of(line.points[k]);
      if (script != HB_SCRIPT_INHERITED && script != HB_SCRIPT_UNKNOWN) grapheme.script = script;
    }
    graphemes.push_back(grapheme);
    first = end;
  }
  // What every script uses, as numbers and the long stroke in an Arabic word, belongs to the letters before it; at the
  // beginning to those behind it.
  const auto inherit = [](auto begin, auto end) {
    hb_script_t script = HB_SCRIPT_COMMON;
    for (auto grapheme = begin; grapheme != end; ++grapheme) {
      if (grapheme->face < 0) continue;
      if (grapheme->script == HB_SCRIPT_COMMON) grapheme->script = script;
      script = grapheme->script;
    }
  };
  inherit(graphemes.begin(), graphemes.end());
  inherit(graphemes.rbegin(), graphemes.rend());
  return graphemes;
}

std::vector<LineStretch> stretches_of(const std::vector<LineGrapheme>& graphemes) {
  std::vector<LineStretch> stretches;
  for (std::size_t k = 0; k < graphemes.size(); ++k) {
    const LineGrapheme& next = graphemes[k];
    if (!stretches.empty()) {
      const LineGrapheme& last = graphemes[k - 1];
      const bool same = last.level == next.level && last.face == next.face;
      if (same && (next.face >= 0 ? last.script == next.script : next.level % 2 == 0)) {
        stretches.back().end = k + 1;
        continue;
      }
    }
    stretches.push_back({k, k + 1});
  }
  return stretches;
}

}  // namespace headscope
