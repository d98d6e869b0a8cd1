// Tiny matrices, masks and specs for the tests of heatmaps.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/picture/heatmap.h"
#include "tests/core/picture/pixel_count.h"

namespace headscope {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

inline Tensor matrix_of(std::int64_t rows, std::int64_t columns, std::vector<float> values) {
  return Tensor::of({rows, columns}, {Axis::query, Axis::key}, std::move(values));
}

// The whole matrix with cells of `cell` pixels, without a grid.
inline HeatmapSpec spec_of(Tensor matrix, int cell) {
  HeatmapSpec spec;
  spec.rows = static_cast<double>(matrix.dim(0));
  spec.columns = static_cast<double>(matrix.dim(1));
  spec.width = static_cast<int>(matrix.dim(1)) * cell;
  spec.height = static_cast<int>(matrix.dim(0)) * cell;
  spec.matrix = std::move(matrix);
  spec.grid = false;
  return spec;
}

inline std::shared_ptr<const Mask> mask_of(std::int64_t rows, std::int64_t columns,
                                           const std::vector<std::uint8_t>& hidden) {
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, rows, columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      mask->hidden.mutable_row(0, 0, i)[j] = hidden[static_cast<std::size_t>(i * columns + j)];
    }
  }
  mask->hidden.refresh_any();
  return mask;
}

inline const Palette& kDark = palette(Theme::dark);
constexpr Rgba kWhite{255, 255, 255, 255};

// The colour of a value on the range [0, 1].
inline Rgba shade(ColorMap map, double t) {
  return color_at(map, t);
}

}  // namespace headscope
