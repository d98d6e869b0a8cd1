// A rendered glyph. Internal to core/picture.
#pragma once

#include <cstdint>
#include <vector>

namespace headscope {

// Row-major coverage 0 ... 255. (left, top): offset of its upper left pixel from the pen, y down, so top < 0 is above
// the baseline.
struct GlyphBitmap {
  int left = 0, top = 0, width = 0, height = 0;
  std::vector<std::uint8_t> coverage;
};

}  // namespace headscope
