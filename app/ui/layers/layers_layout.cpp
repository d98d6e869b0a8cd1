#include "app/ui/layers/layers_layout.h"

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

constexpr float kLargest = 320, kSmallest = 22, kLegible = 40, kStrip = 72, kLabel = 18, kWideGap = 5, kNarrowGap = 2;

}  // namespace

Rect LayersLayout::place(std::int64_t index) const {
  const auto column = static_cast<float>(index % columns), row = static_cast<float>(index / columns);
  const float x = column * (tile + gap), y = row * (tile + label + gap) + label;
  return {{x, y}, {x + tile, y + tile}};
}

LayersLayout layers_layout(float width, float height, std::int64_t layers, std::int64_t heads, bool sorted,
                           float scale) {
  LayersLayout layout;
  const auto px = [scale](float at_1x) { return std::max(1.0f, std::round(at_1x * scale)); };
  const std::int64_t count = std::max<std::int64_t>(1, layers * heads);
  const auto set = [&](float tile) {
    layout.tile = std::floor(std::clamp(tile, px(kSmallest), px(kLargest)));
    layout.gap = layout.tile >= px(kLegible) ? px(kWideGap) : px(kNarrowGap);
  };
  if (!sorted) {
    layout.left = px(kStrip);
    layout.columns = std::max<std::int64_t>(1, heads);
    layout.rows = std::max<std::int64_t>(1, layers);
    const auto across = static_cast<float>(layout.columns), down = static_cast<float>(layout.rows);
    const float room = width - layout.left;
    float gap = px(kWideGap);
    float by_width = (room - (across - 1) * gap) / across;
    if (by_width < px(kLegible)) {
      gap = px(kNarrowGap);
      by_width = (room - (across - 1) * gap) / across;
    }
    const float by_height = (height - (down - 1) * gap) / down;
    // Scrolls instead of drawing pictures that are too small to read.
    set(std::min(by_width, std::max(by_height, std::min(by_width, px(kLegible)))));
  } else {
    layout.label = px(kLabel);
    for (float tile = px(kLargest);; tile -= 2) {
      set(tile);
      layout.columns =
          std::max<std::int64_t>(1, static_cast<std::int64_t>((width + layout.gap) / (layout.tile + layout.gap)));
      layout.rows = (count + layout.columns - 1) / layout.columns;
      const float all = static_cast<float>(layout.rows) * (layout.tile + layout.label + layout.gap);
      if (all <= height || tile <= px(kLegible)) break;
    }
  }
  layout.content_height = static_cast<float>(layout.rows) * (layout.tile + layout.label + layout.gap);
  layout.scrolls = layout.content_height - layout.gap > height + 0.5f;
  return layout;
}

}  // namespace headscope::ui
