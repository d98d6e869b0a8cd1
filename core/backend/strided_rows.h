// Rows of one head of a tensor, as the kernels take them. Internal to core/backend.
#pragma once

#include <cstdint>

#include "core/backend/kernels/row_updates.h"
#include "core/tensor/tensor.h"

namespace headscope {

// The rows of head h of batch item b of [batch, heads, len, features], which must be stored.
inline StridedRows rows_of(const Tensor& tensor, std::int64_t b, std::int64_t h) {
  const Strides& strides = tensor.strides();
  return {tensor.data() + b * strides[0] + h * strides[1], strides[2], tensor.dim(2), tensor.dim(3)};
}

// The rows [begin, end) of these.
inline StridedRows part_of(StridedRows rows, std::int64_t begin, std::int64_t end) {
  rows.rows += begin * rows.stride;
  rows.count = end - begin;
  return rows;
}

}  // namespace headscope
