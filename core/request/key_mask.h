// What mask files mean; those that say which keys may be seen, one row for every batch item: a key_padding_mask, or a
// tokenizer's attention_mask.
#pragma once

#include "core/request/request.h"
#include "core/tensor/shape.h"

namespace headscope {

// Whether files of that kind are [batch, key_len].
constexpr bool is_of_keys(MaskKind kind) {
  return kind == MaskKind::key_keep || kind == MaskKind::key_hide;
}

// Whether 1 in such a file, or in one of all cells, means: hidden. Of kinds of zeros and ones alone.
constexpr bool hides_ones(MaskKind kind) {
  return kind == MaskKind::hide || kind == MaskKind::key_hide;
}

// The kind that `wanted` is of a file which is read as `now`: one of keys stays one. What is added has other axes, so
// that such a file stays as it is.
constexpr MaskKind with_axes_of(MaskKind now, MaskKind wanted) {
  if (!is_of_keys(now)) return wanted;
  return wanted == MaskKind::keep ? MaskKind::key_keep : wanted == MaskKind::hide ? MaskKind::key_hide : now;
}

// The kind as --mask-kind spells it; "additive" for automatic.
constexpr const char* mask_kind_word(MaskKind kind) {
  constexpr const char* kWords[] = {"additive", "additive", "keep", "hide", "key-keep", "key-hide"};
  return kWords[static_cast<int>(kind)];
}

// The shape in which such a file broadcasts to [batch, heads, query_len, key_len]: [batch, key_len] and [batch, 1,
// key_len] with the axes that are missing between. Other shapes as they are, [key_len] and [batch, 1, 1, key_len] among
// them.
inline Shape key_mask_shape(const Shape& shape) {
  if (shape.count == 2) return {shape[0], 1, 1, shape[1]};
  if (shape.count == 3) return {shape[0], 1, shape[1], shape[2]};
  return shape;
}

}  // namespace headscope
