// The inner loop of statistics, compiled for every vector width.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headscope {

// Over the finite ones of `count` values: sums of (value - origin) and of (value - origin)^2, both in double, and the
// smallest and largest value.
struct BlockSums {
  std::int64_t finite = 0, nan = 0;
  double deviations = 0, squares = 0;
  float low = 0, high = 0;  // of the finite values and `origin`
};

// `origin` is one of the finite values (0 when there is none). Value j is added in lane j % 16, so that the width of
// the machine's vectors changes no bit. (SSE4 differs: it has no fused multiply-add.)
BlockSums sums_of_block(const float* values, std::size_t count, float origin);

}  // namespace headscope
