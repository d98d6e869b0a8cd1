// Pictures of maps whose pixels stay on the device that computes the cells; the same tiles, the same steps.
#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "app/session/background/maps/map_painter.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

std::shared_ptr<MapPicture> picture_of(const MapQuery& query, Range rows, std::shared_ptr<const DevicePicture> pixels) {
  auto picture = std::make_shared<MapPicture>();
  picture->query = query;
  picture->rows = rows;
  picture->matrix = Tensor::computed({pixels->rows, pixels->columns}, {Axis::query, Axis::key},
                                     [pixels](const Region& region, std::span<float> out) {
                                       const PooledPixels part = pixels->read(region[0], region[1]);
                                       std::copy(part.values.begin(), part.values.end(), out.begin());
                                     });
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const DevicePicture::RowExtent& row : pixels->row_extents) {
    if (row.low > row.high) continue;
    low = std::min(low, static_cast<double>(row.low));
    high = std::max(high, static_cast<double>(row.high));
  }
  if (low <= high) {
    picture->low = low;
    picture->high = high;
  }
  picture->device = std::move(pixels);
  return picture;
}

}  // namespace

bool MapPainter::pools_on_device(const MapQuery& query, const PyramidSource& source) const {
  if (source.device == nullptr || source.device->device() == failed_device_) return false;
  return std::max(parts_over(query.rows.size(), query.cells.rows),
                  parts_over(query.columns.size(), query.cells.columns)) <= source.device->most_pixels();
}

void MapPainter::give_up_device(const PyramidSource& source, const std::string& why) {
  failed_device_ = source.device->device();
  counts_.device_failure = why;
}

std::shared_ptr<const MapPicture> MapPainter::coarse_on_device(const MapQuery& query, const PyramidSource& source,
                                                               const CancelToken& cancel) {
  const CoarsePlan sample =
      coarse_plan(source, query.cells, std::max(options_.coarse_cells, source.device->cells_at_once()));
  if (sample.one_of_rows == 1) {
    // A sample of everything: the exact picture costs no more.
    std::shared_ptr<const MapPicture> exact;
    refine_on_device(query, source, nullptr, cancel, [&](auto picture) { exact = std::move(picture); });
    return exact;
  }
  DevicePicturePlan plan;
  plan.canvas_rows = parts_over(query.rows.size(), query.cells.rows);
  plan.canvas_columns = parts_over(query.columns.size(), query.cells.columns);
  plan.pooling = query.pooling;
  for (const CoarseGroup& group : sample.groups) {
    plan.parts.push_back({source.device->pool_cells(source, group.cells, query.columns,
                                                    {group.cells.size(), query.cells.columns}, query.pooling, cancel),
                          group.pixels.begin, 0, group.pixels.size()});
  }
  auto picture = picture_of(query, query.rows, source.device->picture(plan));
  picture->one_of_rows = sample.one_of_rows;
  ++counts_.on_device;
  counts_.device_failure.clear();  // of another device
  return picture;
}

std::shared_ptr<const DevicePixels> MapPainter::device_tile(const MapQuery& query, const PyramidSource& source,
                                                            std::int64_t row, std::int64_t column,
                                                            const CancelToken& cancel) {
  const TilePlan plan(query, source.matrix);
  const TileKey key{query.key, query.pooling, plan.row_level, plan.column_level, row, column, true};
  if (const Tile* tile = tiles_.find(key)) return tile->on_device;
  const Range rows{row * plan.row_tile, std::min((row + 1) * plan.row_tile, source.matrix.dim(0))};
  const Range columns{column * plan.column_tile, std::min((column + 1) * plan.column_tile, source.matrix.dim(1))};
  auto pixels = source.device->pool_cells(source, rows, columns, plan.level_cells(), query.pooling, cancel);
  tiles_.put(key, {nullptr, pixels});
  ++counts_.on_device;
  counts_.device_failure.clear();  // of another device
  return pixels;
}

void MapPainter::refine_on_device(const MapQuery& query, const PyramidSource& source, const MapPicture* before,
                                  const CancelToken& cancel, const Publish& publish) {
  const TilePlan plan(query, source.matrix);
  const PixelCells level = plan.level_cells();
  // Pixels of the level, from where the query begins.
  const Range canvas{query.rows.begin >> plan.row_level, parts_over(query.rows.end, level.rows)};
  const std::int64_t first_column = query.columns.begin >> plan.column_level;
  const std::int64_t all_rows = parts_over(query.rows.size(), query.cells.rows);
  DevicePicturePlan made;
  made.canvas_columns = parts_over(query.columns.end, level.columns) - first_column;
  made.by = plan.by;
  made.pooling = query.pooling;
  // Where nothing is exact yet, the coarse picture stays.
  if (before != nullptr && before->device != nullptr && before->device->rows == all_rows) made.below = before->device;
  auto published = std::chrono::steady_clock::now();
  for (std::int64_t row = plan.tile_rows.begin; row < plan.tile_rows.end; ++row) {
    for (std::int64_t column = plan.tile_columns.begin; column < plan.tile_columns.end; ++column) {
      auto pixels = device_tile(query, source, row, column, cancel);
      const std::int64_t rows = pixels->rows;
      made.parts.push_back(
          {std::move(pixels), row * kTilePixels - canvas.begin, column * kTilePixels - first_column, rows});
    }
    const bool last = row + 1 == plan.tile_rows.end;
    made.canvas_rows = std::min((row + 1) * kTilePixels, canvas.end) - canvas.begin;
    // A row of pixels that needs more of the level waits for it.
    if (!last) made.canvas_rows -= made.canvas_rows % plan.by.rows;
    const std::int64_t finished = parts_over(made.canvas_rows, plan.by.rows);
    const auto now = std::chrono::steady_clock::now();
    if (!last && (now - published < options_.publish || finished == 0)) continue;
    published = now;
    if (last) made.below = nullptr;
    const Range rows{query.rows.begin,
                     made.below != nullptr || last ? query.rows.end : query.rows.begin + finished * query.cells.rows};
    auto picture = picture_of(query, rows, source.device->picture(made));
    picture->done = last ? 1 : static_cast<double>(finished) / static_cast<double>(all_rows);
    picture->one_of_rows = last || before == nullptr ? 1 : before->one_of_rows;
    publish(std::move(picture));
  }
}

}  // namespace headscope
