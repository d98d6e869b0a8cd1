#include "core/picture/heatmap.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/backend/device_pyramid.h"
#include "core/base/assert.h"
#include "core/picture/heatmap_painter.h"

namespace headscope {

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
