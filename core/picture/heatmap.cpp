#include "core/picture/heatmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/backend/device_pyramid.h"
#include "core/base/assert.h"
#include "core/picture/heatmap_painter.h"

namespace headscope {

namespace {

constexpr float kSliver = 1.0F / 64;  // a cell that reaches less far into a pixel belongs to the next pixel

}  // namespace

bool operator==(const HeatmapSpec& a, const HeatmapSpec& b) {
  return same_storage(a.matrix, b.matrix) && a.mask == b.mask && a.batch == b.batch && a.head == b.head &&
         a.row0 == b.row0 && a.column0 == b.column0 && a.rows == b.rows && a.columns == b.columns &&
         a.width == b.width && a.height == b.height && a.map == b.map && a.range == b.range && a.theme == b.theme &&
         a.hatch_x == b.hatch_x && a.hatch_y == b.hatch_y && a.pixel_scale == b.pixel_scale && a.grid == b.grid &&
         a.device == b.device;
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

HeatmapSpec brought_back(const HeatmapSpec& spec) {
  HEADSCOPE_ASSERT(spec.device != nullptr, "nothing lies on a device");
  const PooledPixels pixels = spec.device->read({0, spec.device->rows}, {0, spec.device->columns});
  HeatmapSpec here = spec;
  here.device = nullptr;
  here.matrix = Tensor::of({pixels.rows, pixels.columns}, spec.matrix.axes(), pixels.values);
  here.mask = hidden_pixels(pixels);
  here.batch = here.head = 0;
  return here;
}

Image draw_heatmap(const HeatmapSpec& spec) {
  if (spec.device != nullptr) return draw_heatmap(brought_back(spec));
  HEADSCOPE_ASSERT(spec.matrix.rank() == 2, "a heatmap is a matrix, not " + to_string(spec.matrix.shape()));
  HEADSCOPE_ASSERT(spec.width > 0 && spec.height > 0 && spec.rows > 0 && spec.columns > 0,
                   fmt::format("{} x {} pixels of {} x {} cells", spec.width, spec.height, spec.rows, spec.columns));
  if (spec.mask) {
    const HiddenCells& hidden = spec.mask->hidden;
    HEADSCOPE_ASSERT(hidden.query_len() == spec.matrix.dim(0) && hidden.key_len() == spec.matrix.dim(1),
                     fmt::format("a mask of [{}, {}] on a matrix of {}", hidden.query_len(), hidden.key_len(),
                                 to_string(spec.matrix.shape())));
  }
  Image image(spec.width, spec.height);
  HeatmapPainter painter(spec);
  for (int begin = 0; begin < spec.height; begin += painter.rows_at_once()) {
    const int end = std::min(begin + painter.rows_at_once(), spec.height);
    painter.load(begin, end);
    painter.draw(begin, end, &image.at(0, begin), spec.width, spec.width);
  }
  return image;
}

}  // namespace headscope
