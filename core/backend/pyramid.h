// Large matrices at low zoom: every pixel pools a block of cells. Exact, computed strip by strip, never the whole in
// memory. What a pixel shows of its block: core/backend/pooled_pixels.h.
//
// Hidden cells are not read where possible: a row whose visible cells are free of NaN has none in its hidden cells
// either, since softmax makes a row NaN as a whole. Rows that see no key are read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/backend/pooled_pixels.h"
#include "core/backend/pyramid_source.h"
#include "core/base/cancel.h"
#include "core/tensor/tensor.h"

namespace headscope {

// The cells of `rows` x `columns` (inside the matrix), pooled in blocks of `cells` the first of which begins where the
// ranges begin; the last blocks may be smaller. Reads strips of at most 2 MiB, or 64 rows in 8 MiB (but at least a
// row), and checks `cancel` before each; throws Cancelled.
PooledPixels pool_cells(const PyramidSource& source, Range rows, Range columns, PixelCells cells, Pooling pooling,
                        const CancelToken& cancel);

// The levels. Tiles are kept at levels 0, 1, 2 ... of 2^level cells a pixel, up to the base level, at which an axis has
// at most 2048 pixels; coarser pixels are pooled from the base.
constexpr std::int64_t kTilePixels = 256;
constexpr std::int64_t kBasePixels = 2048;
int base_level(std::int64_t count);
// The smallest number of cells a pixel with which `count` cells need at most `pixels` pixels: a power of two up to that
// of the base level, or a multiple of the base level's.
std::int64_t cells_a_pixel(std::int64_t count, double pixels);
// One zoom step: the next smaller power of two; the next larger one, but at most `most`.
std::int64_t finer_cells_a_pixel(std::int64_t cells);
std::int64_t coarser_cells_a_pixel(std::int64_t cells, std::int64_t most);
// The finest level whose tiles make pixels of that many cells: pixels are pooled (cells >> level) at a time.
int level_of(std::int64_t count, std::int64_t cells);

// A first picture of the whole matrix from a sample: groups of neighbouring rows, evenly spread; at most `most_cells` /
// source.cost cells are read (but at least one group). Pixel rows between two groups repeat the one before.
struct CoarsePixels {
  PooledPixels pixels;           // of the whole, ceil(count / cells) a side
  std::int64_t one_of_rows = 1;  // one row of this many was read
};
// Which rows that sample takes: each group of cells stands for some rows of pixels.
struct CoarseGroup {
  Range cells, pixels;
};
struct CoarsePlan {
  std::vector<CoarseGroup> groups;
  std::int64_t one_of_rows = 1;
};
CoarsePlan coarse_plan(const PyramidSource& source, PixelCells cells, std::int64_t most_cells);
CoarsePixels coarse_pixels(const PyramidSource& source, PixelCells cells, Pooling pooling, std::int64_t most_cells,
                           const CancelToken& cancel);

// The cell that a pixel over this block shows with Pooling::max; nullopt when all cells of the block are hidden.
struct ChosenCell {
  std::int64_t row = 0, column = 0;
  float value = 0;
};
std::optional<ChosenCell> chosen_cell(const PyramidSource& source, Range rows, Range columns,
                                      const CancelToken& cancel);

}  // namespace headscope
