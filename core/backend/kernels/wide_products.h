// Products of rows of doubles that lie anywhere: nothing is packed, so that a few rows cost little beside what is read.
#pragma once

#include <cstdint>

namespace headscope {

// Row i of `count` rows begins at values + i * stride.
struct WideRows {
  const double* values = nullptr;
  std::int64_t stride = 0;
  std::int64_t count = 0;
};

// out[r * out_stride + n] = sum_k x[r][k] * rows[n][k], 0 <= k < width. `out` overlaps none of the others. A cell has
// the same bits whatever other rows there are; it is summed by lanes, so that its last digits depend on the processor.
void multiply_wide_rows(const WideRows& x, const WideRows& rows, std::int64_t width, double* out,
                        std::int64_t out_stride);

// out[r * out_stride + d] = sum_j x[r][j] * rows[j][d], 0 <= j < rows.count, 0 <= d < width: one chain of multiply-adds
// in the order of j. Rows whose x is 0 are read, too: 0 times infinity is NaN. `out` overlaps none of the others.
void mix_wide_rows(const WideRows& x, const WideRows& rows, std::int64_t width, double* out, std::int64_t out_stride);

}  // namespace headscope
