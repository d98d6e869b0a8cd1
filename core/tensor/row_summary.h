// Entropy, largest value and NaN of a row of weights, in one pass.
#pragma once

#include <span>

namespace headscope {

struct RowSummary {
  double entropy_bits = 0;  // -sum w log2(w) over w > 0; within 2e-7 of its terms, exact for powers of two
  float largest = 0;        // the largest value that is not NaN; 0 when all are below
  bool has_nan = false;
};

// Values of weights, none below 0. The same bits on every vector width of a machine with fused multiply-add.
RowSummary summary_of_row(std::span<const float> weights);

// The row without zeros at its end, all but 15 of them at most: what a causal mask hides need not be read.
// summary_of_row() of it has the same bits.
std::span<const float> without_zeros_at_end(std::span<const float> weights);

}  // namespace headscope
