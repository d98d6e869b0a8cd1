// Pictures of matrices that are too large to look at whole: pooled in the background, tile by tile, coarse first.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/background/executor.h"
#include "core/backend/device_pyramid.h"
#include "core/backend/pyramid.h"
#include "core/request/stage.h"

namespace headscope {

// Which matrix. `version` tells traces apart: with another one everything is computed anew.
struct MapKey {
  std::uint64_t version = 0;
  StageId stage = StageId::weights;
  std::int64_t batch = 0, slice = 0;
  friend auto operator<=>(const MapKey&, const MapKey&) = default;
};

// A part of a matrix as pixels of `cells` each. Ranges are in cells and begin on whole pixels.
struct MapQuery {
  MapKey key;
  Pooling pooling = Pooling::max;
  PixelCells cells;
  Range rows, columns;
  bool only_coarse = false;  // of a matrix that costs too much to be gone through unasked
  friend bool operator==(const MapQuery&, const MapQuery&) = default;
};

// The query for at least these cells, widened to whole tiles, so that a short pan asks for nothing new.
MapQuery query_of(const MapKey& key, const Tensor& matrix, Pooling pooling, PixelCells cells, Range rows,
                  Range columns);
// The query for all of it.
MapQuery query_of_all(const MapKey& key, const Tensor& matrix, Pooling pooling, PixelCells cells);

// What is there of a query: never changes once made.
struct MapPicture {
  MapQuery query;
  Range rows;     // the cells that the matrix below covers: all that were wished for, or the upper part
  Tensor matrix;  // pooled pixels
  std::shared_ptr<const Mask> mask;  // its hidden pixels; null: none
  // Where a device has these pixels, hidden ones included; what is read of `matrix` then comes back from there, and
  // `mask` is null. Null: they are here.
  std::shared_ptr<const DevicePicture> device;
  double done = 0;               // share that is exact; 1: all of it
  std::int64_t one_of_rows = 1;  // of what is not exact: one row of this many was read
  double low = 0, high = -1;     // of the finite visible pixels; low > high: there is none
  std::string failure;           // why there is none
  bool exact() const { return done >= 1; }
  // These pixels, from wherever they are. Throws Error when a device fails.
  PooledPixels read(Range pixel_rows, Range pixel_columns) const;
};

class MapTiles {
 public:
  struct Options {
    std::int64_t tile_bytes = std::int64_t{128} << 20;   // kept of tiles, the least lately used go first
    std::int64_t coarse_cells = std::int64_t{16} << 20;  // read for a first picture
    std::chrono::milliseconds publish{80};               // between two pictures of one query
  };
  // One worker runs on `executor`; what the mouse points at is looked up on a sibling of it. `wake` is called from both
  // when there is something new.
  MapTiles(std::unique_ptr<Executor> executor, std::function<void()> wake, Options options);
  MapTiles(std::unique_ptr<Executor> executor, std::function<void()> wake);
  // Cancels what runs and waits for it.
  ~MapTiles();
  MapTiles(const MapTiles&) = delete;
  MapTiles& operator=(const MapTiles&) = delete;

  // Asked in every frame for every picture in sight; null while there is nothing of it. Of several queries those of
  // lower `order` are computed first, and a coarse picture of each comes before any exact one.
  std::shared_ptr<const MapPicture> want(const MapQuery& query, const PyramidSource& source, int order);
  // After the last want() of a frame: the worker goes on with what was asked for in it, and drops all else.
  void end_frame();

  // The newest picture of the whole of that matrix, whatever its pixels, also of an older version of the same size.
  std::shared_ptr<const MapPicture> last_whole(const MapKey& key, const Tensor& matrix, Pooling pooling) const;

  // Which cell a pixel over these cells shows, once it is known; asked in every frame while the mouse is there.
  struct Chosen {
    MapKey key;
    Range rows, columns;
    bool known = false;
    std::optional<ChosenCell> cell;
  };
  Chosen chosen(const MapKey& key, const PyramidSource& source, Range rows, Range columns);

  // Whether the worker has something to do.
  bool busy() const;
  std::int64_t tile_bytes() const;  // held now

  // How many tiles and coarse pictures were pooled here from cells that were read, and on a device, ever; and why the
  // device that was asked last failed. What it was to pool is pooled here.
  struct Counts {
    std::int64_t read = 0, on_device = 0;
    std::string device_failure;  // "": it did not
  };
  Counts counts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headscope
