// A line of text as glyphs at their places: order by the bidirectional algorithm, shapes by HarfBuzz, and where each
// grapheme stands, for carets, selections and the mouse.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/image.h"
#include "core/picture/line_place.h"
#include "core/picture/text/text_glyphs.h"

namespace headscope {

// A glyph with its pen `x` pixels right of the line's left end and `y` pixels below the baseline.
struct PlacedGlyph {
  GlyphId glyph;
  double x = 0, y = 0;
};

// What a caret steps over. Its beginning is its right edge where it runs from right to left.
struct PlacedGrapheme {
  std::size_t begin = 0, end = 0;  // bytes
  double left = 0, right = 0;      // pixels from the line's left end; letters that are one glyph share its width
  bool right_to_left = false;
};

// Neighbours that are drawn in one way and run in one direction.
struct TextRun {
  std::size_t begin = 0, end = 0;  // bytes
  bool right_to_left = false;
  bool shaped = false;         // by HarfBuzz; otherwise one glyph for each code point of `plain`
  std::string plain;           // what is drawn: these bytes; a lone bracket that runs from right to left is mirrored
  double left = 0, width = 0;  // pixels
  std::size_t first_glyph = 0, glyph_end = 0;        // of TextLayout::glyphs
  std::size_t first_grapheme = 0, grapheme_end = 0;  // of TextLayout::graphemes
};

// All three lists are as seen from left to right.
struct TextLayout {
  std::vector<TextRun> runs;
  std::vector<PlacedGrapheme> graphemes;
  std::vector<PlacedGlyph> glyphs;
  double width = 0;
};

// The layout of a line that begins at the left. Invalid bytes are U+FFFD, each by itself. Takes time linear in the
// text; lines that were asked for lately are kept. The faces in its glyphs are those of this thread.
std::shared_ptr<const TextLayout> text_layout(std::string_view utf8, FontRole role, double pixel_size);

// Draws glyphs of a layout; they are placed from the left end of the line.
void draw_glyphs(Image& image, std::span<const PlacedGlyph> glyphs, double pixel_size, Rgba color,
                 const LinePlace& place);

}  // namespace headscope
