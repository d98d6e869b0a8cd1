// The mask term alibi: attention with linear biases (Press, Smith and Lewis 2022, Train Short, Test Long).
//   score[h, i, j] += -slope[h] * |p - j|, p = i + diagonal
// The paper adds it below a causal mask, where |p - j| = p - j; the distance is symmetric here, so that alibi is
// defined for keys after the query as well. Its own code computes the same slopes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/request/added_row.h"

namespace headscope {

// 2^(-8 (head + 1) / heads) where heads is a power of two. Otherwise the slopes of the closest lower power n for the
// first n heads, then every second slope of 2n: 2^(-8 (2 (head - n) + 1) / 2n). 0 <= head < heads is asserted.
float alibi_slope(std::int64_t heads, std::int64_t head);

// The columns of the table of mask terms: see MaskTermInfo.
void add_alibi(const AddedRow& row, std::span<float> scores);
std::string python_alibi(std::int64_t heads, std::int64_t size, std::string_view tensor_of);
std::string latex_alibi(const std::string& position, std::int64_t heads, std::int64_t size);

}  // namespace headscope
