// Pyramids of matrices whose cells a graphics device computes, for a window that draws from the same device: pixels are
// pooled on the device and stay there; only those that a caller reads are copied back.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/backend/pyramid.h"

namespace headscope {

// PooledPixels in the memory of a device. Immutable; any thread may release them.
class DevicePixels {
 public:
  DevicePixels(std::int64_t row_count, std::int64_t column_count) : rows(row_count), columns(column_count) {}
  virtual ~DevicePixels() = default;
  DevicePixels(const DevicePixels&) = delete;
  DevicePixels& operator=(const DevicePixels&) = delete;
  std::int64_t bytes() const { return rows * columns * 8; }  // a value and a count each
  const std::int64_t rows, columns;
};

// A picture in the memory of a device, which a TextureStore of the same device draws without a copy. Immutable, may be
// used by any thread.
class DevicePicture {
 public:
  // The smallest and largest finite, visible pixel of a row; low > high: there is none.
  struct RowExtent {
    float low = 0, high = -1;
  };
  DevicePicture(std::int64_t row_count, std::int64_t column_count, std::vector<RowExtent> extents)
      : rows(row_count), columns(column_count), row_extents(std::move(extents)) {}
  virtual ~DevicePicture() = default;
  DevicePicture(const DevicePicture&) = delete;
  DevicePicture& operator=(const DevicePicture&) = delete;
  // Copies these pixels back. A count is 0 where a pixel is hidden, else 1. Throws Error when the device fails.
  virtual PooledPixels read(Range row_range, Range column_range) const = 0;

  const std::int64_t rows, columns;
  const std::vector<RowExtent> row_extents;
};

// What a picture is made of. The parts lie on a canvas of pixels; every block of `by` canvas pixels becomes one pixel
// of the picture.
struct DevicePicturePlan {
  struct Part {
    std::shared_ptr<const DevicePixels> pixels;
    std::int64_t row = 0, column = 0;  // of its first pixel on the canvas; what lies outside of the canvas is cut off
    std::int64_t rows = 0;  // canvas rows that it covers: as many as it has, or any number that all repeat its only row
  };
  std::int64_t canvas_rows = 0, canvas_columns = 0;
  PixelCells by;
  Pooling pooling = Pooling::max;
  std::vector<Part> parts;  // they do not overlap
  // The picture whose rows follow below the rows of the canvas; null: the picture ends there.
  std::shared_ptr<const DevicePicture> below;
  std::int64_t rows() const { return below != nullptr ? below->rows : (canvas_rows + by.rows - 1) / by.rows; }
  std::int64_t columns() const { return (canvas_columns + by.columns - 1) / by.columns; }
};

// One matrix. May be used by any thread. pool_cells() and picture() throw Cancelled, and Error when the device fails.
class DevicePyramid {
 public:
  virtual ~DevicePyramid() = default;
  // Names the device: equal for pyramids of the same one.
  virtual const void* device() const = 0;
  // Rows and columns that a picture may have.
  virtual std::int64_t most_pixels() const = 0;
  // Up to so many cells a first look is the exact picture; 0: as many as where the processor computes.
  virtual std::int64_t cells_at_once() const { return 0; }
  // pool_cells() of pyramid.h. `source`: the matrix of this pyramid and what of it is hidden; its cells are not read.
  virtual std::shared_ptr<const DevicePixels> pool_cells(const PyramidSource& source, Range rows, Range columns,
                                                         PixelCells cells, Pooling pooling,
                                                         const CancelToken& cancel) const = 0;
  // The parts put together and pooled as pool_pixels() of pyramid.h does.
  virtual std::shared_ptr<const DevicePicture> picture(const DevicePicturePlan& plan) const = 0;
};

}  // namespace headscope
