// Counting pixels of a picture.
#pragma once

#include <algorithm>

#include "core/base/image.h"

namespace headscope {

// How many pixels have the colour.
inline int count_of(const Image& image, Rgba color) {
  return static_cast<int>(std::count(image.pixels.begin(), image.pixels.end(), color));
}

}  // namespace headscope
