// The tiles of pyramids within a budget of bytes; used by the worker of MapTiles only.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>

#include "app/session/background/maps/map_picture.h"

namespace headscope {

struct TileKey {
  MapKey map;
  Pooling pooling = Pooling::max;
  int row_level = 0, column_level = 0;
  std::int64_t row = 0, column = 0;  // in tiles
  bool on_device = false;
  friend auto operator<=>(const TileKey&, const TileKey&) = default;
};

// The pixels of one tile: in memory, or on the device when its key says so.
struct Tile {
  std::shared_ptr<const PooledPixels> pixels;
  std::shared_ptr<const DevicePixels> on_device;
  std::int64_t bytes() const;
};

class TileCache {
 public:
  explicit TileCache(std::int64_t most_bytes) : most_bytes_(most_bytes) {}
  // Null when it is not kept; else it becomes the most recently used. Valid until the next put() or forget_others().
  const Tile* find(const TileKey& key);
  void put(const TileKey& key, Tile tile);
  // Drops all tiles but those of this version.
  void forget_others(std::uint64_t version);
  std::int64_t bytes() const { return bytes_; }

 private:
  struct Entry {
    TileKey key;
    Tile tile;
  };
  const std::int64_t most_bytes_;
  std::int64_t bytes_ = 0;
  std::list<Entry> entries_;  // most recently used first
  std::map<TileKey, std::list<Entry>::iterator> places_;
};

// How a query lies on the tiles of its levels.
struct TilePlan {
  int row_level, column_level;
  std::int64_t row_tile, column_tile;  // cells of a tile
  PixelCells by;                       // pixels of the level in a pixel of the query
  Range tile_rows, tile_columns;

  TilePlan(const MapQuery& query, const Tensor& matrix);
  PixelCells level_cells() const { return {std::int64_t{1} << row_level, std::int64_t{1} << column_level}; }
};

}  // namespace headscope
