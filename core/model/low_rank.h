// A matrix with a low-rank change merged into it: LoRA (Hu et al. 2021) and DoRA (Liu et al. 2024).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope {

// W' = W + scale * left right, as the matrix stands in its file; with `magnitudes` m, one an output, each output's
// numbers are divided by their Euclidean length and multiplied by its m: m (W + scale left right) / |W + scale left
// right|. An output is a row, or a column where `outputs_are_columns`.
struct LowRankChange {
  std::int64_t rows = 0, rank = 0, columns = 0;
  std::vector<float> left;   // [rows, rank]
  std::vector<float> right;  // [rank, columns]
  double scale = 1;
  std::vector<float> magnitudes;  // empty: LoRA
  bool outputs_are_columns = false;
};

// Bytes of merged matrices that may still be kept in memory; the others are merged where they are read.
struct MergedMemory {
  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
  std::atomic<std::int64_t> left = kMostBytes;
};

// The merged matrix, [rows, columns] like `base`. Sums are taken in float64 and rounded once, to float32. Kept where
// `memory` has room, else every read merges its region anew; lengths of outputs are computed once in both cases.
Tensor merged_matrix(const Tensor& base, LowRankChange change, MergedMemory& memory);

}  // namespace headscope
