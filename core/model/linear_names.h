// What the file calls the matrices of a layer, and how it stores them.
#pragma once

#include <string>

#include "core/model/layer_weights.h"

namespace headscope {

// The names of a layer's matrix and of its bias in the file; `linear` is one of `weights`. Drawn layers have no file:
// they are named as the tutorials and torch name such layers.
struct LinearNames {
  std::string weight, bias;
};
LinearNames file_names_of(const LayerWeights& weights, const Linear& linear);

// Whether the file holds [in, out]: the [out, in] view's columns lie apart.
bool is_transposed(const Tensor& weight);

}  // namespace headscope
