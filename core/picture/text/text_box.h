// The box with a hexadecimal number that stands for what no font has. Internal to core/picture.
#pragma once

#include <cstdint>

#include "core/picture/text/glyph_bitmap.h"

namespace headscope {

// The advance of the pen, in pixels.
double box_advance(std::uint32_t code_point, double pixel_size);

// 2, 4 or 6 digits in a frame, on the baseline.
GlyphBitmap box_bitmap(std::uint32_t code_point, double pixel_size);

}  // namespace headscope
