// The names of a layer's matrices in the file, and how the file stores them.
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

// Whether the file stores the matrix as [in, out]: then the columns of the [out, in] view are not contiguous.
bool is_transposed(const Tensor& weight);

}  // namespace headscope
