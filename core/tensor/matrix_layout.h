// How a tensor is shown as matrices: which of its axes is batch, head, row and column.
#pragma once

#include <cstdint>

#include "core/tensor/tensor.h"

namespace headscope {

struct MatrixLayout {
  int batch = 0;
  int head = -1;  // -1: a 3-D tensor, which has no heads
  int rows = 0, columns = 0;
};

// The cells [rows, columns] of the matrix of (batch, head); computed when read. `head` is ignored where the layout has
// none.
Tensor matrix_of(const Tensor& tensor, const MatrixLayout& layout, std::int64_t batch, std::int64_t head, Range rows,
                 Range columns);

}  // namespace headscope
