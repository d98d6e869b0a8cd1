// The files of a model that Meta's code splits for several GPUs, as one file of tensors.
#pragma once

#include <string>
#include <vector>

#include "core/io/tensor_file.h"

namespace headscope {

// Joins consolidated.00, .01, ... in their order: rows of queries, keys, values, gates and the decoder stand one behind
// the other, and so do columns of what maps back to d_model (fairscale's ColumnParallelLinear and RowParallelLinear).
// The embedding is split by columns (Llama 1 and 2) or by rows (Llama 3), whichever gives rows of d_model numbers;
// norms are in every file. Numbers are read where they are used. Throws Error for files whose tensors do not fit each
// other, and for a tensor of which it is not known how it is split.
TensorFile joined_shards(const std::vector<TensorFile>& shards);

}  // namespace headscope
