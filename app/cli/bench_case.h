// The sizes that `bench` measures, and the arithmetic of each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/request/request.h"

namespace headscope::cli {

// One layer of self-attention with a fused projection and every weight returned; or, alone, attention without
// projections and without its weights.
struct BenchCase {
  std::string text;  // as typed
  bool alone = false;
  std::int64_t batch = 1, seq_len = 0, input_dim = 0, d_model = 0, heads = 0;  // input_dim 0 when alone
  std::vector<MaskTerm> mask;                                                  // no files

  std::int64_t head_dim() const { return d_model / heads; }
  const char* mode() const { return alone ? "flash" : "weights"; }
};

// "B,S,INPUT_DIM,D_MODEL,HEADS,MASK" or "attn:S,HEADS,HEAD_DIM,MASK"; MASK as --mask takes it, without files. Throws
// UsageError that names `option`, also for a size that this machine's memory cannot hold.
BenchCase bench_case_from(const std::string& option, const std::string& text);

// The sizes that are measured by default: from a phrase of four words to 4096 tokens.
const std::vector<std::string>& usual_bench_sizes();

// Additions and multiplications that the result needs: 2 for every weight of a projection and row, 4 * head_dim for
// every query and key that see each other. Hidden cells count 0, so that a causal mask halves the work of attention.
double useful_operations(const BenchCase& size);

}  // namespace headscope::cli
