// How a projection's features become query, key and value heads: slices and views of the layer's weights.
#pragma once

#include <cstdint>

#include "core/model/inputs.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// How the rows of the fused projection are read: in their true layout, or in the other one with a qkv-...-as-...
// variant.
QkvLayout read_layout_of(const Request& request, const LayerWeights& weights);

enum class Part { query, key, value };

// How many features query, key or value have before they are split into heads.
std::int64_t part_features(const Inputs& inputs, Part part);

// The weight and bias that project query, key or value: those of the separate projection, or their rows of the fused
// one (copied when the rows of the heads are not contiguous).
Linear part_of(const Inputs& inputs, QkvLayout layout, Part part);

// [batch, len, heads * head_dim] -> [batch, heads, len, head_dim], a view.
Tensor split_heads(const Tensor& projected, std::int64_t heads);

// Appends the position of bias_k or bias_v: [batch, kv_heads, len, head_dim] and [kv_heads * head_dim] -> [batch,
// kv_heads, len + 1, head_dim].
Tensor with_bias_position(const Tensor& heads, const Tensor& bias);

}  // namespace headscope
