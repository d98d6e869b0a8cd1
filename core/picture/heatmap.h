// A matrix as pixels: the oracle of the GL heatmap, and what exports draw.
#pragma once

#include <cstdint>
#include <memory>

#include "core/attention/mask.h"
#include "core/picture/color_map.h"
#include "core/picture/image.h"
#include "core/tensor/tensor.h"

namespace headscope {

// How values become colours. t = (v - low) / (high - low), clamped; with `log_scale` t = log(v/floor)/log(high/floor)
// for v > 0 where floor = max(low, high * 1e-6), and 0 for v <= 0.
struct ValueRange {
  double low = 0, high = 1;
  bool log_scale = false;
  bool per_row = false;  // low and high are taken from each row's own finite, visible values
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

// Everything that decides the pixels of one heatmap. Equal specs give equal pixels.
struct HeatmapSpec {
  Tensor matrix;                     // [rows, columns]; a stored view or computed
  std::shared_ptr<const Mask> mask;  // hidden cells of (batch, head), or null: nothing is hidden
  std::int64_t batch = 0, head = 0;  // which of the mask
  // The part that is seen, in cells: [row0, row0 + rows) x [column0, column0 + columns); fractions when zoomed.
  double row0 = 0, column0 = 0, rows = 0, columns = 0;
  int width = 0, height = 0;  // pixels
  ColorMap map = ColorMap::viridis;
  ValueRange range;
  Theme theme = Theme::dark;
  // Where the picture's top left pixel lies on the screen: the hatch joins across cells and pictures.
  int hatch_x = 0, hatch_y = 0;
  double pixel_scale = 1;  // content scale: hatch spacing and line widths multiply by it
  bool grid = true;        // 1 px lines between cells from 12 px (x scale) a cell
  friend bool operator==(const HeatmapSpec& a, const HeatmapSpec& b);  // matrices by same_storage
};

// Draws it. For every pixel: the cell under its centre; where several cells fall on one pixel, the one of largest
// absolute value among all cells that the pixel touches (NaN first, then infinity), so that nothing is lost.
// Hidden cells: 45 degree hatch 5 px apart, (x + y) mod 5 == 0, on `well`, from 8 px a cell, else plain well. A pixel
// over several cells is `well` only when all are hidden. NaN: kNanColor with a white cross; infinity: kNanColor with a
// white triangle up or down; the marks from 8 px a cell.
Image draw_heatmap(const HeatmapSpec& spec);

// Finite, visible values: {min, max} for signed data made symmetric about 0; {0, 1} for weights.
ValueRange automatic_range(const Tensor& matrix_or_stage, bool weight_like, bool signed_data);

}  // namespace headscope
