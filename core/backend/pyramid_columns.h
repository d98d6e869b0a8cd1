// Sums down the columns of a strip of rows, from which the pixels of a pyramid are made. Used by pyramid.cpp only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/backend/pooled_pixels.h"
#include "core/tensor/shape.h"

namespace headscope {

// One maximum or sum for each column, over the rows added since reset().
class ColumnSums {
 public:
  ColumnSums(std::int64_t columns, Pooling pooling);
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
  void add_nan(std::int64_t column) { flags_[static_cast<std::size_t>(column)] |= kNan; }
  // Writes the pixel over these columns to (row, column) of `to`.
  void write_pixel(Range columns, PooledPixels& to, std::int64_t row, std::int64_t column) const;

 private:
  static constexpr std::uint32_t kNan = 1, kPlus = 2, kMinus = 4;
  bool add_max(const Rows& rows, std::size_t at, std::size_t count);
  bool add_mean(const float* values, std::size_t at, std::size_t count);

  const Pooling pooling_;
  std::vector<float> high_, low_;     // max; high < low: no value yet
  std::vector<std::uint32_t> flags_;  // what is not finite (of a max: NaN only)
  std::vector<double> sums_;          // mean
  std::vector<std::uint32_t> counts_;
};

}  // namespace headscope
