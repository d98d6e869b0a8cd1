// How a tensor lies on paper: which of its axes is batch, head, row and column.
#pragma once

#include <cstdint>

#include "core/tensor/tensor.h"

namespace headscope {

struct MatrixLayout {
  int batch = 0;
  int head = -1;  // none in 3-D tensors
  int rows = 0, columns = 0;
};

// The [rows, columns] matrix of (batch, head), or a part of it; computed when read. `head` is ignored where the layout
// has none.
Tensor matrix_of(const Tensor& tensor, const MatrixLayout& layout, std::int64_t batch, std::int64_t head, Range rows,
                 Range columns);

}  // namespace headscope
