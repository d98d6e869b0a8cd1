// Matrices of a backward pass: rows of numbers in double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/backend/linear.h"
#include "core/base/thread_pool.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct GradientRows {
  std::int64_t count = 0, features = 0;
  std::vector<double> values;  // [count, features]

  GradientRows() = default;
  GradientRows(std::int64_t rows, std::int64_t columns)
      : count(rows), features(columns), values(static_cast<std::size_t>(rows * columns)) {}
  std::span<double> row(std::int64_t i) {
    return std::span(values).subspan(static_cast<std::size_t>(i * features), static_cast<std::size_t>(features));
  }
  std::span<const double> row(std::int64_t i) const {
    return std::span(values).subspan(static_cast<std::size_t>(i * features), static_cast<std::size_t>(features));
  }
  GradientRows& operator+=(const GradientRows& other);
};

// The numbers of a tensor whose last axis is the features, every other axis a row: [batch, len, features] gives batch *
// len rows.
GradientRows gradient_rows(const Tensor& tensor);

// The rows as a tensor of that shape, rounded to float32.
Tensor tensor_of_rows(const GradientRows& rows, const Shape& shape, const Axes& axes);

// x W^T + b in double, row by row, on the threads, whose number changes no bit. Equals torch.nn.functional.linear.
GradientRows linear_of(const GradientRows& x, const Linear& layer, ThreadPool& threads);

// The gradient by x of y = x W^T + b: dy W, likewise. Equals what torch.autograd gives a linear layer's input.
GradientRows before_linear(const GradientRows& dy, const Linear& layer, ThreadPool& threads);

}  // namespace headscope
