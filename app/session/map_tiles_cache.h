// The tiles of pyramids within a budget of bytes; used by the worker of MapTiles only.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>

#include "app/session/map_tiles.h"

namespace headscope {

struct TileKey {
  MapKey map;
  Pooling pooling = Pooling::max;
  int row_level = 0, column_level = 0;
  std::int64_t row = 0, column = 0;  // in tiles
  friend auto operator<=>(const TileKey&, const TileKey&) = default;
};

class TileCache {
 public:
  explicit TileCache(std::int64_t most_bytes) : most_bytes_(most_bytes) {}
  // Null when it is not there; else it counts as used now.
  std::shared_ptr<const PooledPixels> find(const TileKey& key);
  void put(const TileKey& key, PooledPixels pixels);
  // All but the tiles of this version.
  void forget_others(std::uint64_t version);
  std::int64_t bytes() const { return bytes_; }

 private:
  struct Entry {
    TileKey key;
    std::shared_ptr<const PooledPixels> pixels;
  };
  static std::int64_t bytes_of(const PooledPixels& pixels);
  const std::int64_t most_bytes_;
  std::int64_t bytes_ = 0;
  std::list<Entry> entries_;  // the one used last is the first
  std::map<TileKey, std::list<Entry>::iterator> places_;
};

// Makes the pictures of one wish after the other from tiles.
class MapPainter {
 public:
  using Publish = std::function<void(std::shared_ptr<const MapPicture>)>;
  MapPainter(TileCache& tiles, const MapTiles::Options& options) : tiles_(tiles), options_(options) {}
  // A first picture of a wish for all of a matrix.
  std::shared_ptr<const MapPicture> coarse(const MapWish& wish, const PyramidSource& source, const CancelToken& cancel);
  // Goes on from `before` (null: nothing) to the exact picture; publishes it, and parts of it on the way. Throws
  // Cancelled, and what reading throws.
  void refine(const MapWish& wish, const PyramidSource& source, const MapPicture* before, const CancelToken& cancel,
              const Publish& publish);

 private:
  // The tiles of one row of tiles, computed where they are missing.
  void load_tiles(const MapWish& wish, const PyramidSource& source, Range columns, std::int64_t row,
                  const CancelToken& cancel, std::vector<std::shared_ptr<const PooledPixels>>& to);
  TileCache& tiles_;
  const MapTiles::Options options_;
};

}  // namespace headscope
