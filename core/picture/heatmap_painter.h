// Draws a heatmap some pixel rows at a time, by the rules of heatmap_spec.h. Internal to core/picture.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/image.h"
#include "core/picture/heatmap_spec.h"

namespace headscope {

class HeatmapPainter {
 public:
  explicit HeatmapPainter(const HeatmapSpec& spec);

  // The most pixel rows for one load(): about 8 million cells, 32 MB, or one row.
  int rows_at_once() const { return rows_at_once_; }

  // Reads the cells under pixel rows [begin, end), all in one region, in place of those read before. Nothing is copied
  // when the matrix is stored.
  void load(int begin, int end);

  // Draws pixel rows [begin, end), which must be loaded: `columns` pixels of each, `stride` pixels apart; `to` is the
  // first. Every pixel is written. May be called by several threads at once.
  void draw(int begin, int end, Rgba* to, std::int64_t stride, int columns) const;

 private:
  // The content of a pixel: the cell chosen among those under it.
  struct Sample {
    enum class Kind : std::uint8_t { outside, hidden, value, nan } kind = Kind::outside;
    float value = 0;
    std::int64_t row = 0;
  };
  // Working memory of one drawing thread.
  struct Scratch {
    std::vector<Sample> samples;
    std::vector<std::uint8_t> hidden;
    std::vector<Rgba> cells;
    std::vector<float> best;            // of each column over some rows
    std::vector<std::uint8_t> visible;  // 1: some cell of the column is visible
  };

  void draw_cells(const Range& rows, Rgba* to, int columns, Scratch& scratch) const;
  void color_cells(std::int64_t row, Range cells, const std::uint8_t* hidden, Rgba* to) const;
  void choose_samples(const Range& rows, Scratch& scratch) const;
  bool choose_by_columns(const Range& rows, Scratch& scratch) const;
  Rgba pixel(const Sample& sample, int x, int y) const;
  bool on_hatch(int x, int y) const;
  bool on_cross(float u, float v) const;
  bool on_triangle(float u, float v, bool up) const;
  // The colour of the corner of a marked cell, where the pixel lies on it; else `color`.
  Rgba with_corner(Rgba color, int x, int y) const;
  // The values of a loaded row, indexed from column 0; only the columns of seen_ may be read.
  const float* row_values(std::int64_t row) const;
  // The hidden bytes of a row, indexed likewise; null without a mask.
  const std::uint8_t* row_hidden(std::int64_t row, Scratch& scratch) const;
  const ValueScale& scale_of(std::int64_t row) const;

  const HeatmapSpec spec_;
  const AxisWindow column_window_, row_window_;
  const std::vector<Range> columns_, rows_;  // the cells of each pixel column and row
  const std::array<Rgba, 256>& table_;
  const Palette& colors_;
  const double cell_width_, cell_height_, cell_;
  const int line_, spacing_;
  const bool marked_;
  const bool marks_cells_;  // some cells have corners
  bool plain_ = false;      // each pixel is one cell's colour, without marks and lines
  bool direct_ = false;     // true: also plain_, and pixel x shows column seen_.begin + x
  std::vector<float> u_, v_;
  std::vector<bool> vertical_line_, horizontal_line_;  // empty: no grid
  Range seen_;                                         // columns of the matrix that are read
  int rows_at_once_ = 1;
  ValueScale shared_scale_;

  // ---- what load() read
  Range loaded_;
  std::vector<float> values_;       // [loaded_, seen_], when the matrix is not stored
  std::vector<ValueScale> scales_;  // of the rows of loaded_, when per row
};

}  // namespace headscope
