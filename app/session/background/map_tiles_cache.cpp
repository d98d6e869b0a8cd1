#include "app/session/background/map_tiles_cache.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/base/assert.h"
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

}  // namespace

TilePlan::TilePlan(const MapQuery& query, const Tensor& matrix)
    : row_level(level_of(matrix.dim(0), query.cells.rows)), column_level(level_of(matrix.dim(1), query.cells.columns)) {
  row_tile = kTilePixels << row_level;
  column_tile = kTilePixels << column_level;
  by = {query.cells.rows >> row_level, query.cells.columns >> column_level};
  HEADSCOPE_ASSERT(by.rows << row_level == query.cells.rows && by.columns << column_level == query.cells.columns,
                   std::to_string(query.cells.rows) + " x " + std::to_string(query.cells.columns));
  tile_rows = {query.rows.begin / row_tile, parts_over(query.rows.end, row_tile)};
  tile_columns = {query.columns.begin / column_tile, parts_over(query.columns.end, column_tile)};
}

std::int64_t Tile::bytes() const {
  if (on_device != nullptr) return on_device->bytes();
  return static_cast<std::int64_t>(pixels->values.size() * sizeof(float) +
                                   pixels->counts.size() * sizeof(std::uint32_t));
}

const Tile* TileCache::find(const TileKey& key) {
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  return &place->second->tile;
}

void TileCache::put(const TileKey& key, Tile tile) {
  if (places_.count(key) > 0) return;
  bytes_ += tile.bytes();
  entries_.push_front({key, std::move(tile)});
  places_[key] = entries_.begin();
  while (bytes_ > most_bytes_ && entries_.size() > 1) {
    bytes_ -= entries_.back().tile.bytes();
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

void TileCache::forget_others(std::uint64_t version) {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (entry->key.map.version == version) {
      ++entry;
      continue;
    }
    bytes_ -= entry->tile.bytes();
    places_.erase(entry->key);
    entry = entries_.erase(entry);
  }
}

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
  PooledPixels pixels(parts_over(query.rows.size(), query.cells.rows),
                      parts_over(query.columns.size(), query.cells.columns));
  // Where nothing is exact yet, the coarse picture stays.
  const bool on_coarse = before != nullptr && before->matrix.dim(0) == pixels.rows;
  std::int64_t one_of_rows = 1;
  if (on_coarse) {
    pixels.values = before->matrix.values();
    for (std::int64_t y = 0; y < pixels.rows; ++y) {
      for (std::int64_t x = 0; x < pixels.columns; ++x) {
        const bool hidden = before->mask && before->mask->hidden.hidden(0, 0, y, x);
        pixels.counts[static_cast<std::size_t>(y * pixels.columns + x)] = hidden ? 0 : 1;
      }
    }
    one_of_rows = before->one_of_rows;
  }
  // Rows of the level that a pixel row of the query needs and that no pixel row was made of yet.
  PooledPixels waiting(0, parts_over(query.columns.size(), std::int64_t{1} << plan.column_level));
  std::int64_t finished = 0;  // pixel rows of the query
  std::vector<std::shared_ptr<const PooledPixels>> tiles;
  auto published = std::chrono::steady_clock::now();
  for (std::int64_t row = plan.tile_rows.begin; row < plan.tile_rows.end; ++row) {
    load_tiles(query, source, plan.tile_columns, row, cancel, tiles);
    // A query may end within a tile, and begin within one that is larger than its pixels.
    const std::int64_t skip_rows = std::max<std::int64_t>(0, query.rows.begin - row * plan.row_tile) >> plan.row_level;
    const std::int64_t skip_columns =
        (query.columns.begin - plan.tile_columns.begin * plan.column_tile) >> plan.column_level;
    const std::int64_t wanted =
        parts_over(query.rows.end, std::int64_t{1} << plan.row_level) - row * kTilePixels;  // rows of this tile at most
    for (std::int64_t y = skip_rows; y < std::min(tiles.front()->rows, wanted); ++y) {
      std::int64_t x = -skip_columns;
      for (const auto& tile : tiles) {
        for (std::int64_t j = 0; j < tile->columns; ++j, ++x) {
          if (x < 0 || x >= waiting.columns) continue;
          waiting.values.push_back(tile->values[static_cast<std::size_t>(y * tile->columns + j)]);
          waiting.counts.push_back(tile->counts[static_cast<std::size_t>(y * tile->columns + j)]);
        }
      }
      ++waiting.rows;
    }
    const bool last = row + 1 == plan.tile_rows.end;
    const std::int64_t ready = last ? waiting.rows : waiting.rows - waiting.rows % plan.by.rows;
    PooledPixels part(ready, waiting.columns);
    const auto values = static_cast<std::ptrdiff_t>(ready * waiting.columns);
    std::copy_n(waiting.values.begin(), values, part.values.begin());
    std::copy_n(waiting.counts.begin(), values, part.counts.begin());
    waiting.values.erase(waiting.values.begin(), waiting.values.begin() + values);
    waiting.counts.erase(waiting.counts.begin(), waiting.counts.begin() + values);
    waiting.rows -= ready;
    if (plan.by != PixelCells{}) part = pool_pixels(part, plan.by, query.pooling);
    std::copy(part.values.begin(), part.values.end(), pixels.values.begin() + finished * pixels.columns);
    std::copy(part.counts.begin(), part.counts.end(), pixels.counts.begin() + finished * pixels.columns);
    finished += part.rows;

    const auto now = std::chrono::steady_clock::now();
    if (!last && (now - published < options_.publish || finished == 0)) continue;
    published = now;
    std::shared_ptr<MapPicture> picture;
    if (on_coarse || last) {
      picture = picture_of(query, query.rows, pixels);
    } else {
      PooledPixels upper(finished, pixels.columns);
      std::copy_n(pixels.values.begin(), upper.values.size(), upper.values.begin());
      std::copy_n(pixels.counts.begin(), upper.counts.size(), upper.counts.begin());
      picture = picture_of(query, {query.rows.begin, query.rows.begin + finished * query.cells.rows}, upper);
    }
    picture->done = last ? 1 : static_cast<double>(finished) / static_cast<double>(pixels.rows);
    picture->one_of_rows = last ? 1 : one_of_rows;
    publish(std::move(picture));
  }
}

}  // namespace headscope
