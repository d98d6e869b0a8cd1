// Products with a packed weight: y[r][n] = bias[n] + sum_k x[r][k] * weight[n][k], every cell one chain in the order of
// k (see micro_kernel-inl.h). Plain pointers; the caller cuts the work into tasks.
#pragma once

#include <cstdint>

#include "core/backend/kernels/packed_matrix.h"

namespace headscope {

// Rows up to this many are multiplied by multiply_few_rows.
inline constexpr std::int64_t kFewRows = 16;

// What is packed next and is to be asked for meanwhile, of the weight's type: number (n, k) of the outputs and inputs
// that the product has lies at data + n * out_stride + k * in_stride. One of the strides is 1.
struct NextPanels {
  const void* data = nullptr;  // null: nothing
  std::int64_t out_stride = 0, in_stride = 0;
};

// y[r][n] for r < rows <= kFewRows and the outputs n of panels [first_panel, last_panel): reads the weight once, in the
// order in which it lies. `bias` has out values, or is null. Row r of x is at x + r * x_stride, of y at
// y + r * y_stride; y points to output 0.
struct FewRows {
  const float* x;
  std::int64_t x_stride;
  std::int64_t rows;
  const float* bias;
  float* y;
  std::int64_t y_stride;
  bool goes_on = false;  // chains start from what y holds, the sums of the inputs before, instead of from the bias
  NextPanels next = {};
};
void multiply_few_rows(const PackedMatrix& weight, std::int64_t first_panel, std::int64_t last_panel,
                       const FewRows& product);

// Copies rows of x, `depth` values each, into the order in which multiply_block reads them. `packed` has room for
// rows * depth values.
void pack_rows(const float* x, std::int64_t x_stride, std::int64_t rows, std::int64_t depth, float* packed);

// The part [first_k, first_k + depth) of the weight's inputs in the sums of many rows, which pack_rows has packed.
struct Block {
  const float* packed;
  std::int64_t rows;
  std::int64_t first_k, depth;
  const float* bias;
  float* y;
  std::int64_t y_stride;
  bool goes_on = false;  // as FewRows
  NextPanels next = {};
};
void multiply_block(const PackedMatrix& weight, std::int64_t first_panel, std::int64_t last_panel, const Block& block);

}  // namespace headscope
