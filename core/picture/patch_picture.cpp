#include "core/picture/patch_picture.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/picture/blend.h"

namespace headscope {
namespace {

// For each of `pixels` along a side, which of `parts` it lies in.
std::vector<std::size_t> parts_of(int pixels, std::int64_t parts) {
  std::vector<std::size_t> part(static_cast<std::size_t>(pixels));
  for (int k = 0; k < pixels; ++k) part[static_cast<std::size_t>(k)] = static_cast<std::size_t>(k * parts / pixels);
  return part;
}

Rgba grey_of(Rgba pixel) {
  const auto grey = static_cast<std::uint8_t>((299 * pixel.r + 587 * pixel.g + 114 * pixel.b + 500) / 1000);
  return {grey, grey, grey, 255};
}

}  // namespace

Image painted_patches(const ImagePatches& patches, const PatchValues& weights, const WordColors& colors, int width,
                      int height, int line) {
  const auto first = static_cast<std::size_t>(patches.leading);
  std::vector<WordLook> looks;
  for (std::size_t k = first; k < static_cast<std::size_t>(patches.tokens()); ++k) {
    looks.push_back(word_look(weights.values[k], !weights.hidden.empty() && weights.hidden[k] != 0, colors));
  }
  const std::vector<std::size_t> rows = parts_of(height, patches.grid.rows);
  const std::vector<std::size_t> columns = parts_of(width, patches.grid.columns);
  const Image* const picture = patches.picture.get();
  const bool pictured = picture != nullptr && picture->width > 0 && picture->height > 0;
  const Rgba hatch = palette(colors.theme).hatch;
  const int spacing = 5 * std::max(line, 1);
  Image painted(width, height);
  for (int y = 0; y < height; ++y) {
    const std::size_t row = rows[static_cast<std::size_t>(y)] * static_cast<std::size_t>(patches.grid.columns);
    for (int x = 0; x < width; ++x) {
      const WordLook& look = looks[row + columns[static_cast<std::size_t>(x)]];
      Rgba& pixel = painted.at(x, y);
      pixel = look.ground;
      if (pictured) {
        pixel = grey_of(picture->at(static_cast<int>(std::int64_t{x} * picture->width / width),
                                    static_cast<int>(std::int64_t{y} * picture->height / height)));
        blend_over(pixel, look.ground, kPaintShare);
      }
      if (look.hatched && (x + y) % spacing < std::max(line, 1)) pixel = hatch;
    }
  }
  return painted;
}

}  // namespace headscope
