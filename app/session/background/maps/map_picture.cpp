#include "app/session/background/maps/map_picture.h"

#include <algorithm>

#include "core/tensor/parts.h"

namespace headscope {
namespace {

// `cells` widened to multiples of `unit` within [0, count).
Range widened(Range cells, std::int64_t unit, std::int64_t count) {
  const std::int64_t begin = std::clamp<std::int64_t>(cells.begin, 0, count - 1) / unit * unit;
  const std::int64_t end = std::clamp<std::int64_t>(cells.end, begin + 1, count);
  return {begin, std::min(count, rounded_up(end, unit))};
}

}  // namespace

MapQuery query_of(const MapKey& key, const Tensor& matrix, Pooling pooling, PixelCells cells, Range rows,
                  Range columns) {
  const auto unit = [](std::int64_t count, std::int64_t a_pixel) {
    const std::int64_t tile = kTilePixels << level_of(count, a_pixel);
    return std::max(tile, a_pixel) / a_pixel * a_pixel;
  };
  return {key, pooling, cells, widened(rows, unit(matrix.dim(0), cells.rows), matrix.dim(0)),
          widened(columns, unit(matrix.dim(1), cells.columns), matrix.dim(1))};
}

MapQuery query_of_all(const MapKey& key, const Tensor& matrix, Pooling pooling, PixelCells cells) {
  return {key, pooling, cells, {0, matrix.dim(0)}, {0, matrix.dim(1)}};
}

PooledPixels MapPicture::read(Range pixel_rows, Range pixel_columns) const {
  if (device != nullptr) return device->read(pixel_rows, pixel_columns);
  PooledPixels pixels(pixel_rows.size(), pixel_columns.size());
  matrix.read({pixel_rows, pixel_columns}, pixels.values);
  std::size_t at = 0;
  for (std::int64_t y = pixel_rows.begin; y < pixel_rows.end; ++y) {
    for (std::int64_t x = pixel_columns.begin; x < pixel_columns.end; ++x) {
      pixels.counts[at++] = mask && mask->hidden.hidden(0, 0, y, x) ? 0 : 1;
    }
  }
  return pixels;
}

}  // namespace headscope
