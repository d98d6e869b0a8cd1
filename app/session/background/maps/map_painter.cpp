#include "app/session/background/maps/map_painter.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

// A picture from pixels; `rows` are the cells that they cover.
std::shared_ptr<MapPicture> picture_of(const MapQuery& query, Range rows, const PooledPixels& pixels) {
  auto picture = std::make_shared<MapPicture>();
  picture->query = query;
  picture->rows = rows;
  picture->matrix = Tensor::of({pixels.rows, pixels.columns}, {Axis::query, Axis::key}, pixels.values);
  picture->mask = hidden_pixels(pixels);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::int64_t y = 0; y < pixels.rows; ++y) {
    for (std::int64_t x = 0; x < pixels.columns; ++x) {
      const auto value = static_cast<double>(pixels.values[static_cast<std::size_t>(y * pixels.columns + x)]);
      if (!std::isfinite(value) || pixels.hidden(y, x)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low <= high) {
    picture->low = low;
    picture->high = high;
  }
  return picture;
}

// The pixels of a query while its rows of tiles are read from top to bottom.
class GrowingPixels {
 public:
  // `before`: the coarse picture, which stays where nothing is exact yet; null when there is none.
  GrowingPixels(const MapQuery& query, const TilePlan& plan, const MapPicture* before)
      : query_(query),
        plan_(plan),
        pixels_(parts_over(query.rows.size(), query.cells.rows), parts_over(query.columns.size(), query.cells.columns)),
        waiting_(0, parts_over(query.columns.size(), std::int64_t{1} << plan.column_level)),
        on_coarse_(before != nullptr && before->matrix.dim(0) == pixels_.rows) {
    if (!on_coarse_) return;
    pixels_.values = before->matrix.values();
    for (std::int64_t y = 0; y < pixels_.rows; ++y) {
      for (std::int64_t x = 0; x < pixels_.columns; ++x) {
        const bool hidden = before->mask && before->mask->hidden.hidden(0, 0, y, x);
        pixels_.counts[static_cast<std::size_t>(y * pixels_.columns + x)] = hidden ? 0 : 1;
      }
    }
    one_of_rows_ = before->one_of_rows;
  }

  // Takes the next row of tiles, which has this number in the level.
  void add(std::int64_t row, const std::vector<std::shared_ptr<const PooledPixels>>& tiles) {
    queue_rows(row, tiles);
    last_ = row + 1 == plan_.tile_rows.end;
    const std::int64_t ready = last_ ? waiting_.rows : waiting_.rows - waiting_.rows % plan_.by.rows;
    PooledPixels part(ready, waiting_.columns);
    const auto values = static_cast<std::ptrdiff_t>(ready * waiting_.columns);
    std::copy_n(waiting_.values.begin(), values, part.values.begin());
    std::copy_n(waiting_.counts.begin(), values, part.counts.begin());
    waiting_.values.erase(waiting_.values.begin(), waiting_.values.begin() + values);
    waiting_.counts.erase(waiting_.counts.begin(), waiting_.counts.begin() + values);
    waiting_.rows -= ready;
    if (plan_.by != PixelCells{}) part = pool_pixels(part, plan_.by, query_.pooling);
    std::copy(part.values.begin(), part.values.end(), pixels_.values.begin() + finished_ * pixels_.columns);
    std::copy(part.counts.begin(), part.counts.end(), pixels_.counts.begin() + finished_ * pixels_.columns);
    finished_ += part.rows;
  }

  bool last() const { return last_; }                  // every row was added
  std::int64_t finished() const { return finished_; }  // rows of pixels that are exact

  // What is known: all of the query, or without a coarse picture its upper part.
  std::shared_ptr<const MapPicture> picture() const {
    std::shared_ptr<MapPicture> picture;
    if (on_coarse_ || last_) {
      picture = picture_of(query_, query_.rows, pixels_);
    } else {
      PooledPixels upper(finished_, pixels_.columns);
      std::copy_n(pixels_.values.begin(), upper.values.size(), upper.values.begin());
      std::copy_n(pixels_.counts.begin(), upper.counts.size(), upper.counts.begin());
      picture = picture_of(query_, {query_.rows.begin, query_.rows.begin + finished_ * query_.cells.rows}, upper);
    }
    picture->done = last_ ? 1 : static_cast<double>(finished_) / static_cast<double>(pixels_.rows);
    picture->one_of_rows = last_ ? 1 : one_of_rows_;
    return picture;
  }

 private:
  void queue_rows(std::int64_t row, const std::vector<std::shared_ptr<const PooledPixels>>& tiles) {
    // A query may end within a tile, and begin within one that is larger than its pixels.
    const std::int64_t skip_rows =
        std::max<std::int64_t>(0, query_.rows.begin - row * plan_.row_tile) >> plan_.row_level;
    const std::int64_t skip_columns =
        (query_.columns.begin - plan_.tile_columns.begin * plan_.column_tile) >> plan_.column_level;
    const std::int64_t wanted = parts_over(query_.rows.end, std::int64_t{1} << plan_.row_level) -
                                row * kTilePixels;  // rows of this tile at most
    for (std::int64_t y = skip_rows; y < std::min(tiles.front()->rows, wanted); ++y) {
      std::int64_t x = -skip_columns;
      for (const auto& tile : tiles) {
        for (std::int64_t j = 0; j < tile->columns; ++j, ++x) {
          if (x < 0 || x >= waiting_.columns) continue;
          waiting_.values.push_back(tile->values[static_cast<std::size_t>(y * tile->columns + j)]);
          waiting_.counts.push_back(tile->counts[static_cast<std::size_t>(y * tile->columns + j)]);
        }
      }
      ++waiting_.rows;
    }
  }

  const MapQuery& query_;
  const TilePlan& plan_;
  PooledPixels pixels_;
  PooledPixels waiting_;  // rows of the level that a pixel row of the query needs and that none was made of yet
  const bool on_coarse_;
  std::int64_t one_of_rows_ = 1;
  std::int64_t finished_ = 0;
  bool last_ = false;
};

}  // namespace

std::shared_ptr<const MapPicture> MapPainter::coarse(const MapQuery& query, const PyramidSource& source,
                                                     const CancelToken& cancel) {
  if (pools_on_device(query, source)) {
    try {
      return coarse_on_device(query, source, cancel);
    } catch (const Error& error) {
      give_up_device(source, error.what());
    }
  }
  return coarse_here(query, source, cancel);
}

void MapPainter::refine(const MapQuery& query, const PyramidSource& source, const MapPicture* before,
                        const CancelToken& cancel, const Publish& publish) {
  if (pools_on_device(query, source)) {
    try {
      refine_on_device(query, source, before, cancel, publish);
      return;
    } catch (const Error& error) {
      give_up_device(source, error.what());
    }
  }
  // What a device has is not brought back: it may be the one that failed.
  refine_here(query, source, before != nullptr && before->device != nullptr ? nullptr : before, cancel, publish);
}

std::shared_ptr<const MapPicture> MapPainter::coarse_here(const MapQuery& query, const PyramidSource& source,
                                                          const CancelToken& cancel) {
  const CoarsePixels pixels = coarse_pixels(source, query.cells, query.pooling, options_.coarse_cells, cancel);
  auto picture = picture_of(query, query.rows, pixels.pixels);
  picture->one_of_rows = pixels.one_of_rows;
  ++counts_.read;
  return picture;
}

void MapPainter::load_tiles(const MapQuery& query, const PyramidSource& source, Range columns, std::int64_t row,
                            const CancelToken& cancel, std::vector<std::shared_ptr<const PooledPixels>>& to) {
  const TilePlan plan(query, source.matrix);
  const Range rows{row * plan.row_tile, std::min((row + 1) * plan.row_tile, source.matrix.dim(0))};
  const auto key_of = [&](std::int64_t column) {
    return TileKey{query.key, query.pooling, plan.row_level, plan.column_level, row, column};
  };
  to.clear();
  for (std::int64_t column = columns.begin; column < columns.end; ++column) {
    const Tile* tile = tiles_.find(key_of(column));
    to.push_back(tile != nullptr ? tile->pixels : nullptr);
  }
  const auto at = [&](std::int64_t column) -> std::shared_ptr<const PooledPixels>& {
    return to[static_cast<std::size_t>(column - columns.begin)];
  };
  // Neighbours that are missing are read together: rows are cheapest whole.
  for (std::int64_t first = columns.begin; first < columns.end;) {
    if (at(first)) {
      ++first;
      continue;
    }
    std::int64_t last = first + 1;
    while (last < columns.end && !at(last)) ++last;
    const Range cells{first * plan.column_tile, std::min(last * plan.column_tile, source.matrix.dim(1))};
    const PooledPixels wide = pool_cells(source, rows, cells, plan.level_cells(), query.pooling, cancel);
    for (std::int64_t column = first; column < last; ++column) {
      const std::int64_t from = (column - first) * kTilePixels;
      PooledPixels tile(wide.rows, std::min(kTilePixels, wide.columns - from));
      for (std::int64_t y = 0; y < tile.rows; ++y) {
        const auto source_at = y * wide.columns + from;
        std::copy_n(wide.values.begin() + source_at, tile.columns, tile.values.begin() + y * tile.columns);
        std::copy_n(wide.counts.begin() + source_at, tile.columns, tile.counts.begin() + y * tile.columns);
      }
      at(column) = std::make_shared<const PooledPixels>(std::move(tile));
      tiles_.put(key_of(column), {at(column), nullptr});
      ++counts_.read;
    }
    first = last;
  }
}

void MapPainter::refine_here(const MapQuery& query, const PyramidSource& source, const MapPicture* before,
                             const CancelToken& cancel, const Publish& publish) {
  const TilePlan plan(query, source.matrix);
  GrowingPixels pixels(query, plan, before);
  std::vector<std::shared_ptr<const PooledPixels>> tiles;
  auto published = std::chrono::steady_clock::now();
  for (std::int64_t row = plan.tile_rows.begin; row < plan.tile_rows.end; ++row) {
    load_tiles(query, source, plan.tile_columns, row, cancel, tiles);
    pixels.add(row, tiles);
    const auto now = std::chrono::steady_clock::now();
    if (!pixels.last() && (now - published < options_.publish || pixels.finished() == 0)) continue;
    published = now;
    publish(pixels.picture());
  }
}

}  // namespace headscope
