// Kernels of replaced_positions.h: products with rows at any distance (nothing is packed, every row is read once), and
// the update of row sums when some keys are replaced, many rows together.
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

// first_out[i] = sum_d rows[i][d] * first[d], and the same of `second`, which may be null. The same as
// multiply_query_key() within rounding; summed by lanes.
void multiply_rows_by_vectors(const StridedRows& rows, const float* first, const float* second, float* first_out,
                              float* second_out);

// out[d] += sum_j weights[j] * rows[j][d]; rows of weight 0 are read too.
void add_weighted_rows(const StridedRows& rows, const float* weights, float* out);

// max[i] = the larger of max[i] and cells[i].
void raise_to_cells(const float* cells, std::int64_t count, float* max);

// cells[i] -= from[i]; -inf, a hidden cell, stays what it is.
void subtract_where_visible(const float* from, std::int64_t count, float* cells);

// Rows some of whose keys are replaced; row i has one term for each such key before and after.
struct ReplacedTerms {
  std::int64_t rows = 0, keys = 0;
  const float* before = nullptr;  // exp(score - max_before): of key n and row i at n * stride + i
  const float* after = nullptr;   // exp(score - max), the same places
  std::int64_t stride = 0;
  const float* scale = nullptr;  // [rows] exp(max_before - max)
  const float* sum_before = nullptr;
};

// Where the update is written: `sum` and `factor` [rows]; `columns` and `removed` laid out as the terms, with this
// stride.
struct UpdatedSums {
  float *sum = nullptr, *factor = nullptr, *columns = nullptr, *removed = nullptr;
  std::int64_t stride = 0;
};

// With t = sum_n before_n:
//   sum = (sum_before - t) scale + sum_n after_n
//   factor = sum_before scale / sum,  columns_n = after_n / sum,  removed_n = -before_n scale / sum
// A row whose terms are all 0 keeps its sum: factor 1, columns and removed 0. Returns whether t is more than `most`
// times sum_before in any row.
bool update_sums(const ReplacedTerms& terms, float most, const UpdatedSums& to);

}  // namespace headscope
