// The peak speed of this machine, so that a measured speed can be given as a share of it.
#pragma once

namespace headscope {

// The float32 multiply-add peak of `threads` threads in GFLOP/s (a fused multiply-add counts as two), measured now with
// the widest vectors that the kernels use: multiply-adds that stay in registers on all threads at once, the best of
// several short runs. Takes about 30 ms. More threads than cores do not raise it.
double measured_peak_gflops(int threads);

}  // namespace headscope
