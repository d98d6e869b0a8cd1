// Numbers as files of tensors store them, little-endian, as tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope {

// Bits of one value, or 0 for a dtype that is not known.
std::int64_t dtype_bits(std::string_view dtype);

// The numbers of one tensor, row-major without gaps.
struct StoredNumbers {
  const std::string& name;
  const std::string& dtype;  // "F32", "BF16", "I64", ... as safetensors calls it
  const std::vector<std::int64_t>& shape;
  const std::byte* data;              // as many bytes as shape and dtype need; any alignment
  std::shared_ptr<const void> owner;  // keeps them alive; null: the values are always copied
};

// As float32: F32 is a view of the memory (when aligned), F16 and BF16 are converted exactly, F64 is rounded. Integers
// and bools are converted too. With `two_bytes`, F16 and BF16 keep their two bytes a number (when aligned). A scalar is
// [1]. Throws Error, which begins with `what`, for other dtypes and for more than kMaxRank axes.
Tensor tensor_of_stored(const StoredNumbers& stored, const std::string& what, bool two_bytes);

}  // namespace headscope
