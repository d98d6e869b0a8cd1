// The numbers of one matrix of a stack, in double. Internal to core/circuits.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope {

// Row-major, those of matrix `number` of a stack [matrices, rows, columns].
inline std::vector<double> stacked_values(const Tensor& stack, std::int64_t number) {
  std::vector<float> values(static_cast<std::size_t>(stack.dim(1) * stack.dim(2)));
  stack.read({{number, number + 1}, {0, stack.dim(1)}, {0, stack.dim(2)}}, values);
  return {values.begin(), values.end()};
}

}  // namespace headscope
