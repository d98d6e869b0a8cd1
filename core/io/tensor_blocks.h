// A tensor from its first value to its last, in pieces that fit memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/cancel.h"
#include "core/tensor/row_strips.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Calls `visit` with consecutive pieces of the row-major values, at most `most` values each (16 MiB); together they are
// the whole tensor. Values that lie in memory without gaps are not copied; computed tensors and strided views are read
// region by region. Throws Cancelled between pieces.
void for_each_block(const Tensor& tensor, const CancelToken& cancel,
                    const std::function<void(std::span<const float>)>& visit, std::int64_t most = kComputedPiece);

// The same numbers as `tensor`; every read also passes what it gave to `seen`, which can follow the progress of a
// writer or the numbers.
Tensor watched(const Tensor& tensor, std::function<void(std::span<const float>)> seen);

// The sizes of a region's ranges.
Shape shape_of(const Region& region);

// The part of `tensor` inside `region`, as a tensor of the region's shape: a view of a stored tensor, else computed.
Tensor part_of(const Tensor& tensor, const Region& region);

// A dense tensor whose axes have no names yet (all Axis::feature); `values` are row-major.
Tensor tensor_of_values(const Shape& shape, std::vector<float> values);

}  // namespace headscope
