// Texts of several lengths one behind the other, so that no cell is one of padding.
#pragma once

#include <cstdint>
#include <vector>

#include "core/request/mask.h"
#include "core/tensor/tensor.h"

namespace headscope {

// The sum of the lengths.
std::int64_t packed_len(const std::vector<std::int64_t>& lengths);

// [1, heads, T, features] of `padded` [batch, heads, len, features], T = packed_len(lengths): of item b its first
// lengths[b] places, which are behind those of the items before. Asserts as many lengths as items, none above len.
Tensor packed_texts(const Tensor& padded, const std::vector<std::int64_t>& lengths);

// Packs tensors that are [batch, len, features].
Tensor packed_rows(const Tensor& padded, const std::vector<std::int64_t>& lengths);

// [1, 1, T, T]: 1 where query and key are of the same text, 0 elsewhere, which hides the key. It means that whatever
// the request says of mask files. UsageError where it would take too much memory.
MaskFile mask_of_texts(const std::vector<std::int64_t>& lengths);

}  // namespace headscope
