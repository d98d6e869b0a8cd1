#include "core/picture/heatmap_spec.h"

#include <algorithm>
#include <cmath>

namespace headscope {

namespace {

constexpr float kSliver = 1.0F / 64;  // a cell that reaches less far into a pixel belongs to the next pixel

}  // namespace

bool operator==(const HeatmapSpec& a, const HeatmapSpec& b) {
  return same_storage(a.matrix, b.matrix) && a.mask == b.mask && a.batch == b.batch && a.head == b.head &&
         a.row0 == b.row0 && a.column0 == b.column0 && a.rows == b.rows && a.columns == b.columns &&
         a.width == b.width && a.height == b.height && a.map == b.map && a.range == b.range && a.theme == b.theme &&
         a.hatch_x == b.hatch_x && a.hatch_y == b.hatch_y && a.pixel_scale == b.pixel_scale && a.grid == b.grid &&
         a.device == b.device && a.pixels == b.pixels && a.row_ranges == b.row_ranges;
}

std::int64_t AxisWindow::cell_under(int pixel) const {
  return first + static_cast<std::int64_t>(std::floor(offset + (static_cast<float>(pixel) + 0.5F) * step));
}

std::int64_t AxisWindow::first_cell(int pixel) const {
  if (step <= 1) return cell_under(pixel);
  return first + static_cast<std::int64_t>(std::floor(offset + static_cast<float>(pixel) * step + kSliver));
}

std::int64_t AxisWindow::end_cell(int pixel) const {
  if (step <= 1) return cell_under(pixel) + 1;
  const float end = offset + (static_cast<float>(pixel) + 1) * step - kSliver;
  return std::max(first_cell(pixel) + 1, first + static_cast<std::int64_t>(std::ceil(end)));
}

AxisWindow axis_window(double begin, double count, int pixels) {
  const double first = std::floor(begin);
  return {static_cast<std::int64_t>(first), static_cast<float>(begin - first), static_cast<float>(count / pixels)};
}

std::vector<Range> pixel_cells(const AxisWindow& window, int pixels, std::int64_t cells) {
  std::vector<Range> ranges;
  ranges.reserve(static_cast<std::size_t>(pixels));
  for (int p = 0; p < pixels; ++p) {
    ranges.push_back({std::max<std::int64_t>(window.first_cell(p), 0), std::min(window.end_cell(p), cells)});
  }
  return ranges;
}

}  // namespace headscope
