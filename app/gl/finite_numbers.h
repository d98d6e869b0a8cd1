// Whether numbers can be multiplied by 0 without a trace.
#pragma once

#include "core/base/thread_pool.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Whether every number is finite. Then the value of a hidden key has no effect without further checks: its weight is 0.
bool all_finite(const Tensor& tensor, ThreadPool& threads);

}  // namespace headscope
