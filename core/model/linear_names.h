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

// Where the file holds row `row` of the matrix and of its bias, and the reverse (Linear::paired_head).
std::int64_t file_row(const Linear& linear, std::int64_t row);
std::int64_t row_of_file(const Linear& linear, std::int64_t file_row);

// `tensor`, the linear map's matrix or bias as it is used, with its rows in the file's order, and the reverse; computed
// when read, or the tensor itself where the order is the same.
Tensor rows_as_in_file(const Linear& linear, const Tensor& tensor);
Tensor rows_as_used(const Linear& linear, const Tensor& in_file);

// Whether the file stores the matrix as [in, out]: then the columns of the [out, in] view are not contiguous.
bool is_transposed(const Tensor& weight);

}  // namespace headscope
