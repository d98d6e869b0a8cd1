// Which of the compiled kernels run: chosen once, by what the processor can do.
#pragma once

#include <string>
#include <vector>

namespace headscope {

// What the kernels were compiled for and can run here, the best first: "AVX3" (AVX-512), "AVX2", "SSE4", "NEON", and
// one that runs everywhere.
std::vector<std::string> kernel_targets();

// The one that runs.
std::string kernel_target();

// Makes all kernels run on that one of kernel_targets(), or on the best again for "". For tests and comparisons; not
// while a kernel runs.
void choose_kernel_target(const std::string& name);

}  // namespace headscope
