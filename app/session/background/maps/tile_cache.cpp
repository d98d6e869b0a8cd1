#include "app/session/background/maps/tile_cache.h"

#include <string>
#include <utility>

#include "core/base/assert.h"
#include "core/tensor/parts.h"

namespace headscope {

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

}  // namespace headscope
