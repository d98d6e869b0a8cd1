#include "app/ui/heads/heads_layout.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace headscope::ui {
namespace {

constexpr float kLabel = 22, kBetweenRows = 8, kLeastGap = 8, kSmallest = 72, kWideGap = 32;
constexpr double kNearlyAsLarge = 0.93;  // of the largest side of a cell
constexpr int kMostColumns = 64;

CellGrid thumbnail(float width, float height, std::int64_t rows, std::int64_t columns) {
  return fitted_square({0, 0}, width, height, rows, columns);
}

// Of a cell, in pixels.
double side_of(const CellGrid& grid) {
  return grid.empty() ? 0 : std::sqrt(grid.cell_width * grid.cell_height);
}

}  // namespace

ImVec2 HeadPlaces::position(std::int64_t head, float label_height) const {
  const auto column = static_cast<float>(head % columns);
  const auto row = static_cast<float>(head / columns);
  return {std::round(column * (width + gap)), std::round(row * row_pitch + label_height)};
}

HeadPlaces heads_layout(float width, float height, std::int64_t heads, std::int64_t rows, std::int64_t columns,
                        float scale) {
  HeadPlaces layout;
  if (heads <= 0 || rows <= 0 || columns <= 0) return layout;
  const float label = std::round(kLabel * scale);
  const float between = std::round(kBetweenRows * scale);
  const float least_gap = std::round(kLeastGap * scale);
  const auto across = [&](int count) {
    const auto n = static_cast<float>(count);
    return std::floor((width - (n - 1) * least_gap) / n);
  };
  const auto rows_of = [&](int count) { return static_cast<float>((heads + count - 1) / count); };

  const int most = static_cast<int>(std::clamp<std::int64_t>(heads, 1, kMostColumns));
  const auto empty_places = [&](int count) { return (count - heads % count) % count; };
  std::vector<CellGrid> grids;  // with one column, two ...
  double largest = 0;
  for (int count = 1; count <= most; ++count) {
    const float down = std::floor((height + between) / rows_of(count) - label - between);
    grids.push_back(thumbnail(std::max(0.0f, across(count)), std::max(0.0f, down), rows, columns));
    largest = std::max(largest, side_of(grids.back()));
  }
  CellGrid best;
  for (int count = 1; count <= most; ++count) {
    const CellGrid& grid = grids[static_cast<std::size_t>(count - 1)];
    if (grid.empty() || side_of(grid) < kNearlyAsLarge * largest) continue;
    const bool fuller = empty_places(count) < empty_places(layout.columns);
    const bool as_full = empty_places(count) == empty_places(layout.columns);
    if (!best.empty() && !fuller && !(as_full && side_of(grid) > side_of(best))) continue;
    best = grid;
    layout.columns = count;
  }
  const float smallest = std::round(kSmallest * scale);
  if (best.empty() || std::max(best.area.width(), best.area.height()) < smallest) {
    layout.columns = 1;
    for (int count = 2; count <= most && across(count) >= smallest; ++count) {
      if (empty_places(count) <= empty_places(layout.columns)) layout.columns = count;
    }
    const float side = std::max(smallest, across(layout.columns));
    const float down = std::max(smallest, std::min(side, height - label));
    best = thumbnail(std::max(1.0f, std::min(side, width)), down, rows, columns);
    layout.scrolls = true;
  }
  layout.width = best.area.width();
  layout.height = best.area.height();
  const auto columns_shown = static_cast<float>(layout.columns);
  const float left_over = std::max(0.0f, width - columns_shown * layout.width);
  layout.gap = layout.columns > 1 ? left_over / (columns_shown - 1) : 0.0f;
  // Narrow thumbnails far apart: each gets its share of the room at its right, for its label.
  if (layout.columns > 1 && layout.gap > kWideGap * scale) layout.gap = left_over / columns_shown;
  layout.row_pitch = layout.height + label + between;
  layout.content_height = rows_of(layout.columns) * layout.row_pitch - between;
  layout.scrolls = layout.content_height > height + 0.5f;
  return layout;
}

}  // namespace headscope::ui
