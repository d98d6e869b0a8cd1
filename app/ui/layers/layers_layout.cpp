#include "app/ui/layers/layers_layout.h"

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

constexpr float kLargest = 480, kSmallest = 22, kLegible = 40, kStrip = 72, kLabel = 18, kWideGap = 5, kNarrowGap = 2;
constexpr float kWorthWrapping = 1.2f;  // so much larger pictures are worth more rows a layer

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
    const float room = width - layout.left;
    // The side of a picture with so many heads beside each other, each layer in as many rows as that needs.
    const auto side_of = [&](std::int64_t across, float label) {
      const auto columns = static_cast<float>(across), down = static_cast<float>(count / across);
      const auto by_width = [&](float gap) { return (room - (columns - 1) * gap) / columns; };
      const float fits = by_width(px(kWideGap)) < px(kLegible) ? by_width(px(kNarrowGap)) : by_width(px(kWideGap));
      const float by_height = (height - down * label - (down - 1) * px(kWideGap)) / down;
      // Scrolls instead of drawing pictures that are too small to read.
      return std::min(fits, std::max(by_height, std::min(fits, px(kLegible))));
    };
    layout.columns = std::max<std::int64_t>(1, heads);
    float side = side_of(layout.columns, 0);
    for (std::int64_t across = heads - 1; across >= 2 && side < px(kLargest); --across) {
      if (heads % across != 0 || side_of(across, px(kLabel)) < kWorthWrapping * side) continue;
      layout.columns = across;
      layout.label = px(kLabel);
      side = side_of(across, layout.label);
    }
    layout.rows = (count + layout.columns - 1) / layout.columns;
    set(side);
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
