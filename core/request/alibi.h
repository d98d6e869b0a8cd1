// The mask term alibi: attention with linear biases (Press, Smith and Lewis 2022, Train Short, Test Long).
//   score[h, i, j] += -slope[h] * |p - j|, p = i + diagonal
// The paper adds it below a causal mask, where |p - j| = p - j; the distance is symmetric here, so that alibi is
// defined for keys after the query as well. Its own code computes the same slopes.
//
// A model's own term may be another, which MaskTerm::size says:
//   0       the paper's; the only one that --mask spells
//   N > 0   slopes 2^(-N k / heads) in place of 2^(-8 k / heads): MPT's alibi_bias_max
//   -N < 0  Falcon's: score[h, i, j] += B(B(slope[h]) * B(j)) / sqrt(N), B rounds to bfloat16, N is head_dim. It
//   differs
//           from the paper's by a constant of the row, which no softmax sees, and by the rounding, which one does: the
//           reference computes these numbers in bfloat16, whatever the model's are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/request/added_row.h"

namespace headscope {

constexpr std::int64_t kAlibiMost = 8;  // the paper's exponent of the last slope

// 2^(-most (head + 1) / heads) where heads is a power of two. Otherwise the slopes of the closest lower power n for the
// first n heads, then every second slope of 2n: 2^(-most (2 (head - n) + 1) / 2n). 0 <= head < heads is asserted.
float alibi_slope(std::int64_t heads, std::int64_t head, std::int64_t most = kAlibiMost);

// The sizes of a model's own term.
std::int64_t alibi_size_of_most(std::int64_t most);
std::int64_t alibi_size_of_falcon(std::int64_t head_dim);

// The columns of the table of mask terms: see MaskTermInfo.
void add_alibi(const AddedRow& row, std::span<float> scores);
std::string python_alibi(std::int64_t heads, std::int64_t size, std::string_view tensor_of);
std::string latex_alibi(const std::string& position, std::int64_t heads, std::int64_t size);

}  // namespace headscope
