// How a projection's features become query, key and value heads: slices and views of the layer's weights.
#pragma once

#include <cstdint>

#include "core/model/inputs.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// How the rows of the fused projection are read: as they lie, or the other way with a qkv-...-as-... variant.
QkvLayout read_layout_of(const Request& request, const LayerWeights& weights);

enum class Part { query, key, value };

// How many features query, key or value have before they are split into heads.
std::int64_t part_features(const Inputs& inputs, Part part);

// The weight and bias that project query, key or value: their own, or their rows of the fused projection (a copy when
// the rows of the heads lie apart).
Linear part_of(const Inputs& inputs, QkvLayout layout, Part part);

// [batch, len, heads * head_dim] -> [batch, heads, len, head_dim], a view.
Tensor split_heads(const Tensor& projected, std::int64_t heads);

// One more position after the last: [batch, kv_heads, len, head_dim] and [kv_heads * head_dim] ->
// [batch, kv_heads, len + 1, head_dim].
Tensor with_bias_position(const Tensor& heads, const Tensor& bias);

}  // namespace headscope
