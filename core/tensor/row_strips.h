// A tensor row by row, read strip by strip: what walks over matrices that do not fit memory is made of this.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/tensor/tensor.h"

namespace headscope {

// Values read at a time: of a stored tensor what a cache holds, of a computed one many rows, since computing a few at a
// time reads all keys for little. 16 MiB.
constexpr std::int64_t kStoredPiece = std::int64_t{1} << 16;
constexpr std::int64_t kComputedPiece = std::int64_t{1} << 22;
// Rows of weights that are computed when they are read come cheapest in so many, from a multiple of it on: what is
// known of them is remembered for so many together.
constexpr std::int64_t kRowsTogether = 16;

// Gets the indices of the axes before the last two, the row (index of the last but one) and its values.
using VisitRow = std::function<void(const Index& leading, std::int64_t row, std::span<const float> values)>;

// Calls `visit` for every row of the tensor, in order. Rows that lie in memory without gaps are not copied; of others a
// piece of whole rows is held at a time.
void for_each_row(const Tensor& tensor, const VisitRow& visit);

}  // namespace headscope
