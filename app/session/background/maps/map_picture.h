// Pictures of matrices that are too large to be read within a frame: what is asked, and what is given.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "core/backend/device_pyramid.h"
#include "core/backend/pyramid.h"
#include "core/request/mask.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Identifies a matrix. `version` differs between traces: with another one all pictures are computed anew.
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
  bool only_coarse = false;  // for a matrix that costs too much to be read without the user's request
  friend bool operator==(const MapQuery&, const MapQuery&) = default;
};

// The query for at least these cells, widened to whole tiles, so that a short pan asks for nothing new.
MapQuery query_of(const MapKey& key, const Tensor& matrix, Pooling pooling, PixelCells cells, Range rows,
                  Range columns);
// The query for all of it.
MapQuery query_of_all(const MapKey& key, const Tensor& matrix, Pooling pooling, PixelCells cells);

// The picture of a query as far as it is made. Immutable.
struct MapPicture {
  MapQuery query;
  Range rows;                        // the cells that `matrix` covers: all of the query, or the upper part
  Tensor matrix;                     // pooled pixels
  std::shared_ptr<const Mask> mask;  // its hidden pixels; null: none
  // The pixels on a device, hidden ones included: reads of `matrix` then copy from the device, and `mask` is null.
  // Null: the pixels are in `matrix` and `mask`.
  std::shared_ptr<const DevicePicture> device;
  double done = 0;               // share that is exact; 1: all of it
  std::int64_t one_of_rows = 1;  // of the part that is not exact: one row of this many was read
  double low = 0, high = -1;     // of the finite visible pixels; low > high: there is none
  std::string failure;           // why there is none
  bool exact() const { return done >= 1; }
  // These pixels, from memory or device. Throws Error when a device fails.
  PooledPixels read(Range pixel_rows, Range pixel_columns) const;
};

// How pictures of maps are made.
struct MapOptions {
  std::int64_t tile_bytes = std::int64_t{128} << 20;   // limit of kept tiles; the least recently used go first
  std::int64_t coarse_cells = std::int64_t{16} << 20;  // read for a first picture
  std::chrono::milliseconds publish{80};               // least time between two pictures of one query
};

// How many tiles and coarse pictures were pooled on the CPU (`read`) and on a device since the start; and why the
// last device failed. After a failure the CPU pools.
struct MapCounts {
  std::int64_t read = 0, on_device = 0;
  std::string device_failure;  // "": no failure
};

}  // namespace headscope
