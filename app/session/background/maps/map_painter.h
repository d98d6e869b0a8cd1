// Makes pictures of maps; used by the worker of MapTiles only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/background/maps/map_picture.h"
#include "app/session/background/maps/tile_cache.h"
#include "core/base/cancel.h"

namespace headscope {

// Makes the pictures of queries from tiles: on the device of the matrix when it has one that did not fail, else on the
// CPU.
class MapPainter {
 public:
  using Publish = std::function<void(std::shared_ptr<const MapPicture>)>;
  MapPainter(TileCache& tiles, const MapOptions& options) : tiles_(tiles), options_(options) {}
  // A first, coarse picture of a query for all of a matrix.
  std::shared_ptr<const MapPicture> coarse(const MapQuery& query, const PyramidSource& source,
                                           const CancelToken& cancel);
  // Continues from `before` (null: from the beginning) to the exact picture; publishes it, and earlier pictures with a
  // part of it exact. Throws Cancelled, and the errors of reading.
  void refine(const MapQuery& query, const PyramidSource& source, const MapPicture* before, const CancelToken& cancel,
              const Publish& publish);
  const MapCounts& counts() const { return counts_; }

 private:
  std::shared_ptr<const MapPicture> coarse_here(const MapQuery& query, const PyramidSource& source,
                                                const CancelToken& cancel);
  void refine_here(const MapQuery& query, const PyramidSource& source, const MapPicture* before,
                   const CancelToken& cancel, const Publish& publish);
  // The tiles of one row of tiles, computed where they are missing.
  void load_tiles(const MapQuery& query, const PyramidSource& source, Range columns, std::int64_t row,
                  const CancelToken& cancel, std::vector<std::shared_ptr<const PooledPixels>>& to);

  // map_painter_device.cpp
  bool pools_on_device(const MapQuery& query, const PyramidSource& source) const;
  std::shared_ptr<const MapPicture> coarse_on_device(const MapQuery& query, const PyramidSource& source,
                                                     const CancelToken& cancel);
  void refine_on_device(const MapQuery& query, const PyramidSource& source, const MapPicture* before,
                        const CancelToken& cancel, const Publish& publish);
  std::shared_ptr<const DevicePixels> device_tile(const MapQuery& query, const PyramidSource& source, std::int64_t row,
                                                  std::int64_t column, const CancelToken& cancel);
  void give_up_device(const PyramidSource& source, const std::string& why);

  TileCache& tiles_;
  const MapOptions options_;
  MapCounts counts_;
  const void* failed_device_ = nullptr;
};

}  // namespace headscope
