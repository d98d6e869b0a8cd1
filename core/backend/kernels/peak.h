// What this machine can do at most, so that a speed can be given as a share of it.
#pragma once

namespace headscope {

// The float32 multiply-add peak of `threads` threads in GFLOP/s (a fused multiply-add counts as two), measured now with
// the widest vectors that the kernels use: chains that stay in registers on all threads at once, the best of several
// short runs. Takes about 30 ms. Threads beyond the cores give no more.
double measured_peak_gflops(int threads);

}  // namespace headscope
