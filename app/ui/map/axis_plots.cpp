#include "app/ui/map/axis_plots.h"

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

// The share of the range that a value has, from 0 to 1: the place of its colour.
float share_of(const ValueScale& scale, float value) {
  if (!std::isfinite(value)) return 1;
  return static_cast<float>(std::clamp(scale.entry(value), 0, 255)) / 255.0f;
}

std::vector<float> seen_values(const HeatmapView& view, std::int64_t row, std::int64_t column) {
  const bool is_row = row >= 0;
  const std::int64_t count = is_row ? view.grid.columns : view.grid.rows;
  std::vector<float> values(static_cast<std::size_t>(count));
  if (is_row) {
    view.matrix.read(Region{{row, row + 1}, {0, count}}, values);
  } else {
    view.matrix.read(Region{{0, count}, {column, column + 1}}, values);
  }
  if (!view.mask) return values;
  for (std::int64_t i = 0; i < count; ++i) {
    if (view.mask->hidden.hidden(view.batch, view.head, is_row ? row : i, is_row ? i : column)) {
      values[static_cast<std::size_t>(i)] = 0;
    }
  }
  return values;
}

}  // namespace

std::vector<float> profile_of(const std::vector<float>& values, double start, double cell, int pixels) {
  std::vector<float> profile(static_cast<std::size_t>(std::max(0, pixels)), 0.0f);
  const auto count = static_cast<std::int64_t>(values.size());
  if (cell <= 0 || count == 0) return profile;
  for (int pixel = 0; pixel < pixels; ++pixel) {
    const auto first = static_cast<std::int64_t>(std::floor(start + pixel / cell + 1e-9));
    const auto end = std::max(first + 1, static_cast<std::int64_t>(std::ceil(start + (pixel + 1) / cell - 1e-9)));
    float largest = 0;
    for (std::int64_t i = std::max<std::int64_t>(0, first); i < std::min(end, count); ++i) {
      const float value = values[static_cast<std::size_t>(i)];
      if (!std::isnan(largest) && !(std::abs(value) <= std::abs(largest))) largest = value;
    }
    profile[static_cast<std::size_t>(pixel)] = largest;
  }
  return profile;
}

void draw_axis_plots(Ui& ui, const HeatmapView& view, Cell at, float thickness) {
  const CellGrid& grid = view.grid;
  const float gap = ui.px(4);
  const Rect below{{grid.area.min.x, grid.area.max.y + gap}, {grid.area.max.x, grid.area.max.y + gap + thickness}};
  const Rect beside{{grid.area.max.x + gap, grid.area.min.y}, {grid.area.max.x + gap + thickness, grid.area.max.y}};
  fill(below, ui.colors.well);
  fill(beside, ui.colors.well);
  const ValueScale scale = value_scale(view.range);
  const float zero_of_all = view.weight_like ? 0 : share_of(scale, 0);
  ImDrawList& list = canvas();
  if (at.row >= 0 && at.row < grid.rows) {
    // Under a range per row, the row's own.
    const bool own = view.row_scale != nullptr && static_cast<std::size_t>(at.row) < view.row_scale->size();
    const ValueScale& of_row = own ? (*view.row_scale)[static_cast<std::size_t>(at.row)] : scale;
    const float zero = view.weight_like ? 0 : share_of(of_row, 0);
    const std::vector<float> profile = view.large ? map_axis_plot(*view.large, grid, at, true)
                                                  : profile_of(seen_values(view, at.row, -1), grid.column0,
                                                               grid.cell_width, static_cast<int>(grid.area.width()));
    for (std::size_t x = 0; x < profile.size(); ++x) {
      const float share = share_of(of_row, profile[x]);
      if (share == zero) continue;
      const float left = below.min.x + static_cast<float>(x);
      const float y0 = below.max.y - std::max(share, zero) * thickness;
      const float y1 = below.max.y - std::min(share, zero) * thickness;
      list.AddRectFilled({left, std::floor(y0)}, {left + 1, std::max(std::floor(y0) + 1, y1)},
                         color32(ui.colors.query));
    }
  }
  if (at.column >= 0 && at.column < grid.columns) {
    const std::vector<float> profile = view.large ? map_axis_plot(*view.large, grid, at, false)
                                                  : profile_of(seen_values(view, -1, at.column), grid.row0,
                                                               grid.cell_height, static_cast<int>(grid.area.height()));
    for (std::size_t y = 0; y < profile.size(); ++y) {
      const float share = share_of(scale, profile[y]);
      if (share == zero_of_all) continue;
      const float top = beside.min.y + static_cast<float>(y);
      const float x0 = beside.min.x + std::min(share, zero_of_all) * thickness;
      const float x1 = beside.min.x + std::max(share, zero_of_all) * thickness;
      list.AddRectFilled({std::floor(x0), top}, {std::max(std::floor(x0) + 1, x1), top + 1}, color32(ui.colors.key));
    }
  }
}

}  // namespace headscope::ui
