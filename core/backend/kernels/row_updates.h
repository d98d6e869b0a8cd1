// Small products with rows that lie at any distance, for updates of attention: nothing is packed, every row is read
// once.
#pragma once

#include <cstdint>

namespace headscope {

// Row i of `count` rows: `features` floats at rows + i * stride.
struct StridedRows {
  const float* rows = nullptr;
  std::int64_t stride = 0;
  std::int64_t count = 0;
  std::int64_t features = 0;
};

// first_out[i] = sum_d rows[i][d] * first[d], and the same of `second`, which may be null. Within rounding the cells of
// multiply_query_key(); summed by lanes.
void multiply_rows_by_vectors(const StridedRows& rows, const float* first, const float* second, float* first_out,
                              float* second_out);

// out[d] += sum_j weights[j] * rows[j][d]; rows of weight 0 are read too.
void add_weighted_rows(const StridedRows& rows, const float* weights, float* out);

}  // namespace headscope
