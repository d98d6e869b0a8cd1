// Words and numbers on an Image, by FreeType with fonts found through fontconfig.
//
// A line begins at the left and follows the Unicode bidirectional algorithm. In scripts whose letters change with their
// neighbours, and where marks stand on letters, HarfBuzz shapes the glyphs. Everything else (Latin, Greek, Cyrillic,
// Chinese, numbers) is one glyph a code point, without kerning and ligatures. Formatting characters (joiners, variation
// selectors) take no space; control characters are drawn as boxes, so that a line feed in a token is visible.
// Thread-safe: each thread keeps its own faces and rendered glyphs; the list of installed fonts is shared and read
// once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/image.h"

namespace headscope {

enum class FontRole { words, words_bold, numbers, numbers_bold };  // Inter / JetBrains Mono, else the best sans / mono

// The file and face index that fontconfig gives for a role, or for one code point that the role's font lacks.
// Empty path when there is none. Shared with the window's font atlas.
struct FontFile {
  std::string path;
  int face = 0;
  friend bool operator==(const FontFile&, const FontFile&) = default;
};
FontFile font_file(FontRole role);
FontFile fallback_font_file(std::uint32_t code_point, FontRole role);
// The first font of the role's list that has all of these code points.
FontFile fallback_font_file(std::u32string_view code_points, FontRole role);

// Distances from the baseline in pixels, all positive: of the role's own font at a pixel size.
struct FontMetrics {
  double ascent = 0, descent = 0;  // of the tallest and deepest letters
  double cap_height = 0;           // of H: a line is centred on y with its baseline at y + cap_height / 2
};
FontMetrics font_metrics(FontRole role, double pixel_size);

// Width in pixels of one line of text at a pixel size.
double text_width(std::string_view utf8, FontRole role, double pixel_size);

// Whether a line with these characters is more than one glyph a code point from left to right: text_layout.h places it.
bool needs_layout(std::string_view utf8);
bool needs_layout(std::uint32_t code_point);  // of this character alone

// Draws one line; (x, y) is the left end of the baseline. quarter_turns 1: reads upwards, (x, y) its lower end.
// A code point that no font has is drawn as a box with its hex number. `image` may be a part of a larger picture that
// begins at its row `top`; x and y count in the picture.
void draw_text(Image& image, double x, double y, std::string_view utf8, FontRole role, double pixel_size, Rgba color,
               int quarter_turns = 0, int top = 0);

// The text cut to `width` with an ellipsis at its end, on a grapheme boundary.
std::string fit_text(std::string_view utf8, FontRole role, double pixel_size, double width);

}  // namespace headscope
