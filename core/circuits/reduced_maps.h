// Products of two maps of a head, as small as their rank. Internal to core/circuits.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope {

// R B [rows, d_model] with A^T = Q R, Q with orthonormal columns: it has the norm, and the singular values, of A^T B.
struct ReducedMap {
  std::int64_t rows = 0;  // min(rows of A, d_model)
  std::vector<float> values;
  double norm = 0;  // Frobenius, of the product in double
};

// A and B are the matrices `a` and `b` of stacks [matrices, rows, d_model], of equally many rows (asserted).
ReducedMap reduced_map(const Tensor& a_stack, std::int64_t a, const Tensor& b_stack, std::int64_t b);

// The singular values of A^T B, the largest first; min(rows, d_model) of them. In double.
std::vector<double> singular_values(const Tensor& a_stack, std::int64_t a, const Tensor& b_stack, std::int64_t b);

// A part of A^T B: value left right^T, left and right [d_model] of length 1.
struct SingularDirection {
  double value = 0;
  std::vector<double> left, right;
};

// All of them, as singular_values() orders them, with their sum A^T B. Where that is not finite, NaN. In double.
std::vector<SingularDirection> singular_directions(const Tensor& a_stack, std::int64_t a, const Tensor& b_stack,
                                                   std::int64_t b);

}  // namespace headscope
