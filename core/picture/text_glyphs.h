// Glyphs as coverage bitmaps: faces and rendered glyphs of one thread. Internal to core/picture.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/picture/text.h"

namespace headscope {

// What is drawn for one code point: a glyph of a face, a box with its hex number, or nothing.
struct GlyphId {
  enum class Kind : std::uint8_t { outline, box, nothing } kind = Kind::nothing;
  int face = 0;             // within this thread's faces
  std::uint32_t index = 0;  // outline: glyph index; box: the code point
};

// Row-major coverage 0 ... 255. (left, top): offset of its upper left pixel from the pen, y down, so top < 0 is above
// the baseline.
struct GlyphBitmap {
  int left = 0, top = 0, width = 0, height = 0;
  std::vector<std::uint8_t> coverage;
};

// The role's own font, else the fallback for this code point, else a box.
GlyphId glyph_of(std::uint32_t code_point, FontRole role);

// The advance of the pen, in pixels.
double glyph_advance(const GlyphId& glyph, double pixel_size);

// The glyph rendered with the pen `quarters` quarter pixels (0 ... 3) right of a pixel's left edge. Valid until the
// next call on this thread.
const GlyphBitmap& glyph_bitmap(const GlyphId& glyph, double pixel_size, int quarters);

}  // namespace headscope
