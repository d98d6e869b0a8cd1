// What a line consists of before it is shaped: graphemes with level, script and font, and which of them stand together.
// Internal to core/picture.
#pragma once

#include <hb.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/picture/text/text_fonts.h"

namespace headscope {

// A line of code points that knows where each of them stands in the text. An invalid byte is U+FFFD.
struct LineCharacters {
  std::u32string points;
  std::vector<std::size_t> bytes;  // where each begins; behind them the size of the text

  explicit LineCharacters(std::string_view utf8);
};

// [first, end) of the code points, as the text has them.
struct LineGrapheme {
  std::size_t first = 0, end = 0;
  std::int8_t level = 0;
  int face = -1;  // in which HarfBuzz shapes it; -1: it is drawn code point by code point
  hb_script_t script = HB_SCRIPT_COMMON;
};

// LineGraphemes [first, end) that are drawn together.
struct LineStretch {
  std::size_t first = 0, end = 0;
};

// Scripts whose letters stand one beside the other and do not change: one glyph a code point.
bool is_plain_script(hb_script_t script);
// Whether a character is of such a script and does not turn the line.
bool is_plain(std::uint32_t code_point);

// In the order of the text; `line` is of `utf8`.
std::vector<LineGrapheme> graphemes_of(std::string_view utf8, const LineCharacters& line, FontRole role);

// Shaped graphemes stand together where HarfBuzz can take them at once, others where they run from left to right. In
// the order of the text.
std::vector<LineStretch> stretches_of(const std::vector<LineGrapheme>& graphemes);

}  // namespace headscope
