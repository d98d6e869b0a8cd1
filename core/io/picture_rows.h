// A picture that is made some rows at a time, so that it never has to be in memory whole.
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/image.h"
#include "core/tensor/shape.h"

namespace headscope {

struct PictureRows {
  int width = 0, height = 0;
  bool has_alpha = false;      // some pixels are not opaque
  double pixels_per_inch = 0;  // which files state; 0: not known
  // How many rows load() takes at a time; chosen so that load() holds about 40 MB at most.
  int rows_at_once = 1;
  // Reads what the picture shows in these rows, in place of what was read before. Not called while draw() runs.
  std::function<void(Range rows)> load;
  // Draws loaded rows into an image of their size, every pixel of it. May be called by several threads at once.
  std::function<void(Range rows, Image& into)> draw;
};

// Draws it whole.
Image drawn_whole(const PictureRows& picture);

// The rows of an image, which must live as long.
PictureRows rows_of(const Image& image);

}  // namespace headscope
