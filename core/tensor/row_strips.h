// Visits a tensor row by row, reading it strip by strip: for loops over matrices that do not fit in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/tensor/tensor.h"

namespace headscope {

// Values read at a time. Of a stored tensor: as many as a cache holds. Of a computed tensor: many rows (16 MiB),
// because every read of computed rows goes through all keys, however few the rows are.
constexpr std::int64_t kStoredPiece = std::int64_t{1} << 16;
constexpr std::int64_t kComputedPiece = std::int64_t{1} << 22;
// Weights that are computed when read are cheapest in groups of this many rows, starting at a multiple of it: row
// statistics are remembered for such a group.
constexpr std::int64_t kRowsTogether = 16;

// Gets the indices of the axes before the last two, the row (index of the last but one) and its values.
using VisitRow = std::function<void(const Index& leading, std::int64_t row, std::span<const float> values)>;

// Calls `visit` for every row of the tensor, in order. Rows that lie in memory without gaps are not copied; other rows
// are read into memory some whole rows at a time.
void for_each_row(const Tensor& tensor, const VisitRow& visit);

}  // namespace headscope
