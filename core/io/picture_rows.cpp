#include "core/io/picture_rows.h"

#include <algorithm>
#include <cstddef>

namespace headscope {

Image drawn_whole(const PictureRows& picture) {
  constexpr std::int64_t kPixelsAtOnce = std::int64_t{1} << 18;
  Image image(picture.width, picture.height);
  const std::int64_t step =
      std::clamp<std::int64_t>(kPixelsAtOnce / std::max(picture.width, 1), 1, picture.rows_at_once);
  for (std::int64_t begin = 0; begin < picture.height; begin += picture.rows_at_once) {
    const std::int64_t end = std::min<std::int64_t>(begin + picture.rows_at_once, picture.height);
    picture.load({begin, end});
    for (std::int64_t top = begin; top < end; top += step) {
      const Range rows{top, std::min(top + step, end)};
      Image strip(picture.width, static_cast<int>(rows.size()));
      picture.draw(rows, strip);
      std::copy(strip.pixels.begin(), strip.pixels.end(), image.pixels.begin() + top * picture.width);
    }
  }
  return image;
}

PictureRows rows_of(const Image& image) {
  PictureRows rows;
  rows.width = image.width;
  rows.height = image.height;
  rows.rows_at_once = image.height;
  rows.load = [](Range) {};
  rows.draw = [&image](Range part, Image& into) {
    const auto first = image.pixels.begin() + part.begin * image.width;
    std::copy(first, first + part.size() * image.width, into.pixels.begin());
  };
  return rows;
}

}  // namespace headscope
