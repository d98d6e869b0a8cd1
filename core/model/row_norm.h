// A norm over the features of a row, with everything that it needs.
#pragma once

#include <cstdint>
#include <string>

#include "core/model/architecture.h"
#include "core/model/checkpoint_weights.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Of a row x, with sums in double:
//   layer: (x - mean) / sqrt(mean((x - mean)^2) + eps) * weight + bias        torch.nn.LayerNorm
//   rms:   x / sqrt(mean(x^2) + eps) * weight, or * (1 + weight)              Zhang and Sennrich 2019
// or, where `scales` says so, x * weight alone, feature by feature                Touvron et al. 2021, LayerScale
// Without weights it copies.
struct RowNorm {
  Architecture::Norm kind = Architecture::Norm::layer;
  NormWeights weights;
  double eps = 1e-5;
  bool plus_one = false;    // the weights are added to 1
  std::string weight_name;  // of the file; "" where nobody asks
  bool scales = false;
  const char* text() const { return scales ? "LayerScale" : kind == Architecture::Norm::rms ? "RMSNorm" : "LayerNorm"; }
};

// The norm that an architecture makes with these weights.
RowNorm row_norm_of(const Architecture& architecture, const NormWeights& weights);

// The same of what attention or the MLP gives, before it is added: the learned scale where Architecture::layer_scale
// says so.
RowNorm result_norm_of(const Architecture& architecture, const NormWeights& weights);

// Normalises the rows [begin, len) of `x` [batch, len, features] into the same rows of `y` (which may be x).
void norm_rows(const RowNorm& norm, const Tensor& x, std::int64_t begin, Tensor& y);

// The same of all rows, each computed when it is read.
Tensor normed_on_demand(const RowNorm& norm, const Tensor& x);

}  // namespace headscope
