// Glyphs as coverage bitmaps: faces and rendered glyphs of one thread. Internal to core/picture.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/picture/text/glyph_bitmap.h"
#include "core/picture/text/text_fonts.h"

struct hb_font_t;

namespace headscope {

// What is drawn for one code point: a glyph of a face, a box with its hex number, or nothing.
struct GlyphId {
  enum class Kind : std::uint8_t { outline, box, nothing } kind = Kind::nothing;
  int face = 0;             // within this thread's faces
  std::uint32_t index = 0;  // outline: glyph index; box: the code point
};

// The size at which text is drawn: in whole 1/64 px, from 1 to 2000 px.
double pixels_of(double pixel_size);

// The role's own font, else the fallback for this code point, else a box.
GlyphId glyph_of(std::uint32_t code_point, FontRole role);

// The advance of the pen, in pixels.
double glyph_advance(const GlyphId& glyph, double pixel_size);

// Whether nothing is seen of the code point itself: joiners, variation selectors, direction marks.
bool takes_no_room(std::uint32_t code_point);

// The face in which all of these code points, the letters and marks of one grapheme, are drawn: that of the first one
// where it has them all, else the first font that has. -1 when no font has them all.
int face_of_all(std::u32string_view code_points, FontRole role);

// The face for HarfBuzz, in the units of its design; null when its file has no glyph that HarfBuzz can find. Valid
// while the thread lives.
hb_font_t* shaping_font(int face);

// The file that a face was read from.
FontFile font_file_of(int face);

// The glyph rendered with the pen `quarters` quarter pixels (0 ... 3) right of a pixel's left edge. Valid until the
// next call on this thread.
const GlyphBitmap& glyph_bitmap(const GlyphId& glyph, double pixel_size, int quarters);

}  // namespace headscope
