// Large matrices seen from afar: every pixel pools a block of cells. Exact, strip by strip, never the whole in memory.
//
// What a pixel shows of its block:
//   max   The rule of heatmap.h: a NaN, else the visible cell of largest absolute value (of two equal ones the
//         positive), else hidden.
//   mean  A NaN, else the mean of the visible finite cells, else the largest infinity, else hidden.
// Hidden cells are not read where it can be helped: a row whose visible cells are free of NaN has none in its hidden
// cells either, since softmax makes a row NaN as a whole. Rows that see no key are read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/cancel.h"
#include "core/request/mask.h"
#include "core/tensor/tensor.h"

namespace headscope {

enum class Pooling : std::uint8_t { max, mean };
const char* pooling_name(Pooling pooling);  // "max", "mean"

class DevicePyramid;

// A matrix and what of it is hidden.
struct PyramidSource {
  Tensor matrix;                     // [rows, columns], stored or computed
  std::shared_ptr<const Mask> mask;  // null: nothing is hidden
  std::int64_t batch = 0, head = 0;  // which of the mask
  std::int64_t cost = 1;             // of reading a cell, in cells of scores: what samples are sized by
  // Of the same matrix, where a device pools it for a window that draws from there; null: pixels are made here.
  std::shared_ptr<const DevicePyramid> device = nullptr;
};

// Pooled pixels, row-major.
struct PooledPixels {
  std::int64_t rows = 0, columns = 0;
  std::vector<float> values;          // 0 where hidden
  std::vector<std::uint32_t> counts;  // visible finite cells in a mean, 1 of a max; 0: NaN, hidden, or only infinities
  PooledPixels() = default;
  PooledPixels(std::int64_t row_count, std::int64_t column_count);
  bool hidden(std::int64_t row, std::int64_t column) const;
};

// The hidden ones as the mask of a matrix of these pixels; null: none is hidden.
std::shared_ptr<const Mask> hidden_pixels(const PooledPixels& pixels);

// Cells that a pixel takes of each axis.
struct PixelCells {
  std::int64_t rows = 1, columns = 1;
  friend bool operator==(const PixelCells&, const PixelCells&) = default;
};

// The cells of `rows` x `columns` (inside the matrix), pooled in blocks of `cells` that begin at the ranges' begins;
// the last blocks may be smaller. Reads strips of at most 2 MiB, or 64 rows in 8 MiB (but at least a row), and asks
// `cancel` before each; throws Cancelled.
PooledPixels pool_cells(const PyramidSource& source, Range rows, Range columns, PixelCells cells, Pooling pooling,
                        const CancelToken& cancel);

// Pixels pooled once more, `by` at a time: the same as pooling their cells at once (means: within rounding).
PooledPixels pool_pixels(const PooledPixels& pixels, PixelCells by, Pooling pooling);

// The levels. Tiles are kept at levels 0, 1, 2 ... of 2^level cells a pixel, up to the base level, at which an axis has
// at most 2048 pixels; whatever is coarser is pooled from the base.
constexpr std::int64_t kTilePixels = 256;
constexpr std::int64_t kBasePixels = 2048;
int base_level(std::int64_t count);
// How many cells a pixel can take: a power of two up to that of the base, or a multiple of the base's; the least with
// which `count` cells need at most `pixels` pixels.
std::int64_t cells_a_pixel(std::int64_t count, double pixels);
// One step of zooming: the next smaller power of two; and the next larger one, but at most `most`.
std::int64_t finer_cells_a_pixel(std::int64_t cells);
std::int64_t coarser_cells_a_pixel(std::int64_t cells, std::int64_t most);
// The finest level whose tiles make pixels of that many cells: pixels are pooled (cells >> level) at a time.
int level_of(std::int64_t count, std::int64_t cells);

// A first look at the whole matrix from a sample: groups of `group` rows in a row, evenly spread, of which at most
// `most_cells` / source.cost cells are read (at least one group). Pixel rows between two groups repeat the one before.
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

// The cell that a pixel over this block shows under `max`; nothing when all of it is hidden.
struct ChosenCell {
  std::int64_t row = 0, column = 0;
  float value = 0;
};
std::optional<ChosenCell> chosen_cell(const PyramidSource& source, Range rows, Range columns,
                                      const CancelToken& cancel);

}  // namespace headscope
