#include "app/platform/app_icon.h"

#include <array>

#include "core/picture/color_map.h"

namespace headscope {

Image app_icon(int size) {
  // A head that follows: each row looks at the one before it, the last also at the first.
  constexpr std::array<std::array<double, 3>, 3> weights{{{1.0, 0.12, 0.0}, {0.72, 0.35, 0.08}, {0.3, 0.85, 0.5}}};
  Image icon(size, size, Rgba{0, 0, 0, 0});
  const int gap = size / 16 > 0 ? size / 16 : 1;
  const int cell = (size - 4 * gap) / 3;
  const int margin = (size - 3 * cell - 2 * gap) / 2;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      const Rgba color =
          color_at(ColorMap::viridis, weights[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)]);
      const int top = margin + row * (cell + gap), left = margin + column * (cell + gap);
      for (int y = top; y < top + cell; ++y) {
        for (int x = left; x < left + cell; ++x) icon.at(x, y) = color;
      }
    }
  }
  return icon;
}

}  // namespace headscope
