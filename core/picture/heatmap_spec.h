// A matrix as pixels: what they depend on, and the rules by which each gets its colour.
//
// The pixel rules, which the fragment shader follows word for word (float32, floor, integer pixels; x to the right,
// y down, (0, 0) the top left pixel). `scale` is spec.pixel_scale.
//
//   cells     AxisWindow gives, for each axis, first (integer), offset and step (floats, in cells):
//             the cell under the centre of pixel x is  first + floor(offset + (x + 0.5) * step)
//             step <= 1: a pixel shows that one cell. step > 1: it shows all cells from
//             first + floor(offset + x * step + 1/64)  up to, without,  first + ceil(offset + (x + 1) * step - 1/64),
//             at least one. Cells outside of the matrix are skipped; a pixel without any cell is `well`.
//   choice    Of the cells of a pixel: a NaN, else the visible cell of largest absolute value (an infinity is the
//             largest; of two equal ones the positive), else (all hidden) hidden. A NaN shows even where it is
//             hidden: a fully masked row that came out as NaN is drawn as NaN.
//   cell size width / columns by height / rows; where a rule says "from 8 px a cell" the smaller of the two counts.
//   value     entry = clamp(floor((v - low) * scale + offset), 0, 255) of the colour table, with the three floats of
//             value_scale(); with log: entry = floor(clamp((log2(v) - low) * scale, 0, 255) + 0.5), 0 when v <= 0.
//   hidden    `well`; from 8 * scale px a cell the hatch: `hatch` where mod(x + hatch_x + y + hatch_y, spacing) < line,
//             spacing = max(2, round(5 * scale)), line = max(1, round(scale)), round(a) = floor(a + 0.5), mod >= 0.
//   marks     NaN and infinity: kNanColor; from 8 * scale px a cell a white mark. (u, v) in [0, 1) is the place of the
//             pixel centre in its cell, m the smaller cell size in px.
//             NaN: a cross, white where |u - v| * m < 0.75 * scale or |u + v - 1| * m < 0.75 * scale.
//             +inf: a triangle, p = (u - 0.5) * cell_width / m, q = (v - 0.5) * cell_height / m, white where
//             |q| < 0.203 and |p| < (q + 0.203) * 0.677. -inf: the same with -q for q.
//   corner    From 8 * scale px a cell, where the cell under the pixel is `marked` by the mask, shown as a finite value
//             and not 0: with p = u * cell_width and q = v * cell_height, white where p + q < 6.3 * scale, black where
//             6.3 * scale <= p + q < 8.3 * scale. (u, v) as above.
//   grid      From 12 * scale px a cell, over all of the above, also hidden cells: `panel` where the cell under pixel
//             x + line differs from that under x, or the cell under y + line from that under y: the last pixels of
//             each cell. Not on pixels without a cell.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/picture/color_map.h"
#include "core/request/mask.h"
#include "core/tensor/tensor.h"

namespace headscope {

class DevicePicture;
struct PooledPixels;

// How values become colours. t = (v - low) / (high - low), clamped; with `log_scale` t = log(v/floor)/log(high/floor)
// for v > 0 where floor = max(low, high * 1e-6), and 0 for v <= 0.
struct ValueRange {
  double low = 0, high = 1;
  bool log_scale = false;
  bool per_row = false;  // low and high are taken from each row's own finite, visible values
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

// All that the pixels of one heatmap depend on. Equal specs give equal pixels.
struct HeatmapSpec {
  Tensor matrix;                     // [rows, columns]; a stored view or computed
  std::shared_ptr<const Mask> mask;  // hidden and marked cells of (batch, head), or null: there are none
  std::int64_t batch = 0, head = 0;  // which slice of the mask
  // The visible part, in cells: [row0, row0 + rows) x [column0, column0 + columns); fractions when zoomed.
  double row0 = 0, column0 = 0, rows = 0, columns = 0;
  int width = 0, height = 0;  // pixels
  ColorMap map = ColorMap::viridis;
  ValueRange range;
  Theme theme = Theme::dark;
  // The place of the picture's top left pixel on the screen, so that the hatch continues across cells and pictures.
  int hatch_x = 0, hatch_y = 0;
  double pixel_scale = 1;  // content scale: hatch spacing and line widths multiply by it
  bool grid = true;        // 1 px lines between cells from 12 px (x scale) a cell
  // The numbers of `matrix` and its hidden cells on a graphics device, for a TextureStore of the same device (`mask` is
  // null then); null: the numbers are in `matrix` and `mask`.
  std::shared_ptr<const DevicePicture> device = nullptr;
  // What each pixel shows, where it was chosen already (MapPixels); null: it is chosen among the cells of `matrix`.
  std::shared_ptr<const PooledPixels> pixels = nullptr;
  // With range.per_row the low and high of every row of `matrix`, where rows share them with another map
  // (shared_row_ranges()); null: each row's own. No TextureStore draws them.
  std::shared_ptr<const std::vector<ValueRange>> row_ranges = nullptr;
  friend bool operator==(const HeatmapSpec& a, const HeatmapSpec& b);  // matrices by same_storage
};

// One axis of the visible part, as the rules use it.
struct AxisWindow {
  std::int64_t first = 0;                    // floor(begin)
  float offset = 0;                          // begin - first
  float step = 1;                            // cells a pixel: count / pixels
  std::int64_t cell_under(int pixel) const;  // "cells", first rule; not clamped to the matrix
  std::int64_t first_cell(int pixel) const;  // the range of cells that the pixel shows
  std::int64_t end_cell(int pixel) const;
};
AxisWindow axis_window(double begin, double count, int pixels);
// The cells that each pixel of the axis shows, cut to those that the matrix has.
std::vector<Range> pixel_cells(const AxisWindow& window, int pixels, std::int64_t cells);

// The three floats that turn a finite value into an entry of the colour table; `range.per_row` does not matter here.
// Linear: low, 255 / (high - low) but at most the largest float, 0.5. When high <= low, or one of them is not finite: v
// below low gives entry 0, above 255, equal 128. Log: low = log2(floor), scale = 255 / log2(high / floor); when high <=
// low likewise, without entry 128; when high <= 0 always entry 0.
struct ValueScale {
  float low = 0, scale = 255, offset = 0.5F;
  bool log = false;
  int entry(float v) const;  // 0 ... 255; v finite
};
ValueScale value_scale(const ValueRange& range);

// The scale of each row of the matrix when range.per_row: low and high are the smallest and largest of the row's
// finite, visible values; with a diverging map -m and m, m the largest absolute one. A row whose values are all
// equal: [0, v] when v > 0, else [v, v + 1] (diverging: the middle when all are 0). One per row, [begin, end) of rows.
std::vector<ValueScale> row_scales(const HeatmapSpec& spec, std::int64_t begin, std::int64_t end);

// One range for each row of two maps of the same size: of the finite, visible values that the row holds in either, by
// the rules of row_scales(), with the colour map and the logarithm of `a`.
std::vector<ValueRange> shared_row_ranges(const HeatmapSpec& a, const HeatmapSpec& b);

// The range of the finite, visible values: {0, 1} for weights (up to their largest when dropout scaled them above 1);
// {-m, m} with m the largest absolute value for signed data; else {min, max}. {0, 1} when there are none.
// `mask` says which cells are visible (null: all): of a [batch, heads, query, key] stage, or of the matrix at (batch,
// head).
ValueRange automatic_range(const Tensor& matrix_or_stage, bool weight_like, bool signed_data,
                           const Mask* mask = nullptr, std::int64_t batch = 0, std::int64_t head = 0);

}  // namespace headscope
