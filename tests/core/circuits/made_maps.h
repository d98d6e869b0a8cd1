// Maps of heads with some of them changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope {

// A stack whose matrix `number` is multiplied.
inline Tensor scaled(const Tensor& stack, std::int64_t number, float factor) {
  std::vector<float> values = stack.values();
  const std::int64_t size = stack.dim(1) * stack.dim(2);
  for (std::int64_t k = number * size; k < (number + 1) * size; ++k) values[static_cast<std::size_t>(k)] *= factor;
  return Tensor::of(stack.shape(), stack.axes(), std::move(values));
}

// The matrices of a stack in another order: matrix k is matrix order[k] of the stack.
inline Tensor in_order(const Tensor& stack, const std::vector<std::int64_t>& order) {
  std::vector<float> values;
  for (const std::int64_t each : order) {
    const std::vector<float> matrix = stack.sliced(0, each, each + 1).values();
    values.insert(values.end(), matrix.begin(), matrix.end());
  }
  return Tensor::of({static_cast<std::int64_t>(order.size()), stack.dim(1), stack.dim(2)}, stack.axes(),
                    std::move(values));
}

// Every matrix with its last row first.
inline Tensor reversed_rows(const Tensor& stack) {
  std::vector<float> values;
  for (std::int64_t m = 0; m < stack.dim(0); ++m) {
    for (std::int64_t row = stack.dim(1) - 1; row >= 0; --row) {
      for (std::int64_t k = 0; k < stack.dim(2); ++k) values.push_back(stack.at({m, row, k}));
    }
  }
  return Tensor::of(stack.shape(), stack.axes(), std::move(values));
}

}  // namespace headscope
