// Rows of a weight as panels are packed from them, wherever its numbers come from.
#pragma once

#include "core/backend/kernels/packed_matrix.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Rows `out`, inputs `in` of a weight [out, in]: where they lie in memory; those of a weight that is computed when read
// are computed, into memory of this thread, and are good until its next call.
MatrixSource rows_of_weight(const Tensor& weight, Range out, Range in);

// What packing a weight costs, as ThreadPool counts work: turning a number takes about as long as three
// multiplications.
inline double packing_work(const Tensor& weight) {
  return 3.0 * static_cast<double>(weight.size());
}

}  // namespace headscope
