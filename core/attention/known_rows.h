// Rows of a model's stream that the run before knows already. Internal to core/attention.
#pragma once

#include <cstdint>

#include "core/tensor/tensor.h"

namespace headscope {

// [batch, len, features] and how many positions at its front are those of the run before.
struct Rows {
  Tensor tensor;
  std::int64_t same = 0;
};

// How many positions at the front of [batch, len, features], at most `most`, hold the same bits in both.
std::int64_t equal_rows(const Tensor& a, const Tensor& b, std::int64_t most);

// Whether rows of `before`, when all of `same` are, are the whole of a tensor of `len` positions.
bool is_whole(const Tensor& before, std::int64_t same, std::int64_t len);

// A new tensor of `like`'s shape whose first `same` positions are those of `before`.
Tensor with_rows_of(const Tensor& like, const Tensor& before, std::int64_t same);

}  // namespace headscope
