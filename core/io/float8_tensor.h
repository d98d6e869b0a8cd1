// Tensors of float8 in safetensors files. Weights of a model in float8 have factors of their own beside them, so that
// only readers of single arrays come here; readers of weights refuse them.
#pragma once

#include "core/io/tensor_file.h"
#include "core/tensor/tensor.h"

namespace headscope {

// The tensor of `entry`, one of file.entries, as float32: F8_E4M3 and F8_E5M2 of a safetensors file too, without any
// factor. Throws Error as TensorFile::tensor() does for all other types.
Tensor float8_or_other(const TensorFile& file, const TensorEntry& entry);

}  // namespace headscope
