// Products of very few rows with a weight that lies in memory: it is read once, as it lies, and not packed.
#pragma once

#include <cstdint>

#include "core/backend/kernels/gemm.h"
#include "core/backend/kernels/matrix_source.h"

namespace headscope {

// So many rows are multiplied in place at most, with a weight that lies so; 0: such a weight is packed.
std::int64_t most_rows_in_place(const MatrixSource& weight);

// multiply_few_rows() for the outputs [0, out) of a weight [out, in], with the same bits. product.rows <=
// most_rows_in_place(weight); product.next is passed over: processors follow so few rows by themselves.
void multiply_in_place(const MatrixSource& weight, std::int64_t out, std::int64_t in, const FewRows& product);

}  // namespace headscope
