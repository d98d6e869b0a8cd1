// Pictures of matrices that are too large to be read within a frame: pooled in the background, tile by tile, a coarse
// picture first.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "app/session/background/maps/map_picture.h"
#include "app/session/background/maps/pixel_finder.h"
#include "app/session/background/work/executor.h"
#include "core/backend/pyramid.h"

namespace headscope {

class MapTiles {
 public:
  using Options = MapOptions;
  // One worker runs on `executor`; chosen() uses a light sibling of it. Both call `wake` when there is a new result.
  MapTiles(std::unique_ptr<Executor> executor, std::function<void()> wake, Options options);
  MapTiles(std::unique_ptr<Executor> executor, std::function<void()> wake);
  // Cancels running work and waits for it.
  ~MapTiles();
  MapTiles(const MapTiles&) = delete;
  MapTiles& operator=(const MapTiles&) = delete;

  // Call it in every frame for every visible picture; null until a first picture exists. Queries of lower `order` are
  // computed first, and a coarse picture of each before any exact one.
  std::shared_ptr<const MapPicture> want(const MapQuery& query, const PyramidSource& source, int order);
  // Call it after the last want() of a frame: the worker continues with the queries of this frame and drops all others.
  void end_frame();

  // The newest picture of the whole matrix, with any size of pixels, also of an older version of the same size; null
  // when there is none.
  std::shared_ptr<const MapPicture> last_whole(const MapKey& key, const Tensor& matrix, Pooling pooling) const;

  // The cell that a pixel over these cells shows; see PixelFinder.
  ChosenPixel chosen(const MapKey& key, const PyramidSource& source, Range rows, Range columns);

  // Whether the worker has work.
  bool busy() const;
  std::int64_t tile_bytes() const;  // of the tiles that are kept now

  using Counts = MapCounts;
  Counts counts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headscope
