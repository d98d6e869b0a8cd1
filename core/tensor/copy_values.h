// Copying one tensor's values into another's memory.
#pragma once

#include "core/tensor/tensor.h"

namespace headscope {

// to = from; both have the same shape. `to` is writable and has no gaps along its last axis (its rows may lie apart);
// `from` is any tensor. Asserts all of this.
void copy_values(const Tensor& from, Tensor& to);

}  // namespace headscope
