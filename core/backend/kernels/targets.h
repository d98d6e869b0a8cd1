// Which compiled kernels run: chosen once, by the instructions that the processor has.
#pragma once

#include <string>
#include <vector>

namespace headscope {

// The targets that the kernels were compiled for and that this machine can run, the best first: "AVX3" (AVX-512),
// "AVX2", "SSE4", "NEON", and one that runs everywhere.
std::vector<std::string> kernel_targets();

// The target that is in use.
std::string kernel_target();

// Makes all kernels use that one of kernel_targets(); "": the best one again. For tests and comparisons; do not call it
// while a kernel runs.
void choose_kernel_target(const std::string& name);

}  // namespace headscope
