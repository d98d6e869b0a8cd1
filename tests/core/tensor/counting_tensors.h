// Tensors that hold 0, 1, 2, ... in their own order.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope {

const Axes kThree{Axis::batch, Axis::position, Axis::feature};
const Axes kFour{Axis::batch, Axis::head, Axis::position, Axis::feature};

inline std::vector<float> counted(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

inline Tensor counting(Shape shape, Axes axes) {
  return Tensor::of(shape, axes, counted(element_count(shape)));
}

}  // namespace headscope
