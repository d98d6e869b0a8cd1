// The shaders that make pictures of cells on the device, each as one call. A context of OpenGL 4.3 must be current.
#pragma once

#include <cstdint>

#include "app/gl/compute_buffer.h"
#include "app/gl/compute_kernels.h"
#include "app/gl/program.h"
#include "app/gl/texture.h"
#include "core/backend/pyramid.h"

namespace headscope {

class PixelKernels {
 public:
  // Throws Error when the driver refuses a shader.
  PixelKernels();
  ~PixelKernels();
  PixelKernels(const PixelKernels&) = delete;
  PixelKernels& operator=(const PixelKernels&) = delete;

  // Pools cells [rows, columns] into pixels of `block` cells, written from (`first_row`, `first_column`) on into a
  // picture with `row_pixels` pixels a row. `hides`: `mask` says which cells are hidden; the first column is its key
  // `first_key`.
  struct PoolSizes {
    std::int64_t rows = 0, columns = 0;
    PixelCells block;
    std::int64_t first_key = 0;
    bool hides = false;
    std::int64_t first_row = 0, first_column = 0, row_pixels = 0;
  };
  void pool_cells(const PoolSizes& size, Pooling pooling, const ComputeBuffer& cells, const ComputeMask& mask,
                  const ComputeBuffer& values, const ComputeBuffer& counts) const;

  // Copies a part [rows, columns] onto a canvas, its first pixel at (row, column), which may lie outside.
  struct Placement {
    std::int64_t rows = 0, columns = 0;
    std::int64_t canvas_rows = 0, canvas_columns = 0;
    std::int64_t row = 0, column = 0;
    std::int64_t covered_rows = 0;
  };
  void place_pixels(const Placement& place, const ComputeBuffer& part_values, const ComputeBuffer& part_counts,
                    const ComputeBuffer& values, const ComputeBuffer& counts) const;

  // The textures of a picture: its values and its hidden pixels; both null: there is none.
  struct Picture {
    const GlTexture* values = nullptr;
    const GlTexture* hidden = nullptr;
  };

  // Pools blocks of `by` canvas pixels into the first rows of `picture`; its other rows are copied from `below`, which
  // may be none.
  struct PictureSizes {
    std::int64_t canvas_rows = 0, canvas_columns = 0;
    PixelCells by;
  };
  void pool_pixels(const PictureSizes& size, Pooling pooling, const ComputeBuffer& values, const ComputeBuffer& counts,
                   const Picture& below, const Picture& picture) const;

  // Writes low and high of each row, [rows, 2].
  void row_extents(const GlTexture& values, const GlTexture& hidden, const ComputeBuffer& extents) const;

 private:
  void bind(int unit, const GlProgram& program, const char* name, const GlTexture& texture) const;

  GlProgram pool_max_, pool_mean_, place_pixels_, pool_pixels_, row_extents_;
  GlTexture nothing_, nothing_hidden_;  // bound when there is no picture below
};

}  // namespace headscope
