// Computes the same request on the CPU and on the GPU and compares them, when the user asks.
#pragma once

#include <functional>
#include <string>

#include "core/backend/backend_factory.h"
#include "core/base/cancel.h"
#include "core/request/request.h"

namespace headscope {

// "CPU, 2 threads: 1.2 ms. GPU, NVIDIA ...: 0.8 ms. Largest difference 3e-07 (weights), 1e-06 of 1.4 (output)." Each
// time is the median over forwards after a first one, which starts threads and drivers. When there is no GPU, the text
// says why. Patches are left out. Throws ProblemError, the errors of load_inputs(), and Cancelled.
std::string compare_backends(const Request& given, const BackendFactory& make, const CancelToken& cancel,
                             const std::function<void(double)>& progress);

}  // namespace headscope
