// Sums down the columns of a strip of rows, from which the pixels of a pyramid are made. Used by what makes pixels
// only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/backend/pooled_pixels.h"
#include "core/tensor/shape.h"

namespace headscope {

// Of pixels of so many columns extremes are taken along the row, and need no number for each column.
constexpr std::int64_t kWidePixel = 16;

// A sum for each column, or the extremes of each column or pixel, over the rows added since reset().
class ColumnSums {
 public:
  // `cells` columns a pixel; the last pixel may have fewer.
  ColumnSums(std::int64_t columns, std::int64_t cells, Pooling pooling);
  void reset();
  // Rows of values, one after the other, so far apart.
  struct Rows {
    const float* values = nullptr;
    std::int64_t count = 1;
    std::int64_t stride = 0;
  };
  // Adds `count` visible values of each row to the columns from `at` on. True when one of them is NaN.
  bool add(const Rows& rows, std::int64_t at, std::int64_t count);
  // So many rows are added at once best; those of a maximum may be added twice.
  std::int64_t rows_at_once() const;
  // Notes a NaN in a hidden cell.
  void add_nan(std::int64_t column) { flags_[place_of(column)] |= kNan; }
  // Writes all pixels to the row of `to`.
  void write_row(PooledPixels& to, std::int64_t row) const;

 private:
  static constexpr std::uint32_t kNan = 1, kPlus = 2, kMinus = 4;
  std::size_t place_of(std::int64_t column) const { return static_cast<std::size_t>(column / columns_a_place_); }
  bool add_max(const Rows& rows, std::int64_t at, std::int64_t count);
  bool add_mean(const float* values, std::size_t at, std::size_t count);
  // The pixel over these places.
  void write_pixel(Range places, float& value, std::uint32_t& count) const;

  const Pooling pooling_;
  const std::int64_t columns_, cells_;
  const std::int64_t columns_a_place_;  // what follows has a number for each column, or, of wide pixels, for each pixel
  std::vector<float> high_, low_;       // max; high < low: no value yet
  std::vector<std::uint32_t> flags_;    // what is not finite (of a max: NaN only)
  std::vector<double> sums_;            // mean
  std::vector<std::uint32_t> counts_;
};

}  // namespace headscope
