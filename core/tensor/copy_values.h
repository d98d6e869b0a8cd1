// Copying one tensor's values into another's memory.
#pragma once

#include "core/tensor/tensor.h"

namespace headscope {

// to = from, of one shape. `to` is writable and has no gaps along its last axis, whatever lies between its rows; `from`
// is any tensor. Asserts.
void copy_values(const Tensor& from, Tensor& to);

}  // namespace headscope
