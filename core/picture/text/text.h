// Words and numbers on an Image, by FreeType with fonts found through fontconfig.
//
// A line begins at the left and follows the Unicode bidirectional algorithm. In scripts whose letters change with their
// neighbours, and where marks stand on letters, HarfBuzz shapes the glyphs. Everything else (Latin, Greek, Cyrillic,
// Chinese, numbers) is one glyph a code point, without kerning and ligatures. Formatting characters (joiners, variation
// selectors) take no space; control characters are drawn as boxes, so that a line feed in a token is visible.
// Thread-safe: each thread keeps its own faces and rendered glyphs; the list of installed fonts is shared and read
// once.
#pragma once

#include <string>
#include <string_view>

#include "core/base/image.h"
#include "core/picture/line_place.h"
#include "core/picture/text/needs_layout.h"
#include "core/picture/text/text_fonts.h"

namespace headscope {

// Width in pixels of one line of text at a pixel size.
double drawn_width(std::string_view utf8, FontRole role, double pixel_size);

// Draws one line. A code point that no font has is drawn as a box with its hex number.
void draw_text(Image& image, const LinePlace& place, std::string_view utf8, FontRole role, double pixel_size,
               Rgba color);

// The text cut to `width` with an ellipsis at its end, on a grapheme boundary.
std::string fit_text(std::string_view utf8, FontRole role, double pixel_size, double width);

}  // namespace headscope
