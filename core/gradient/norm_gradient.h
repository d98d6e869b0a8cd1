// A norm over the features of a row, forwards and backwards, in double.
#pragma once

#include "core/gradient/rows.h"
#include "core/model/row_norm.h"

namespace headscope {

// norm(x) of every row, as norm_rows() of core/model/row_norm.h: without weights it copies.
GradientRows normed(const RowNorm& norm, const GradientRows& x);

// The gradient by x of y = norm(x). With n = (x - mean) r, r = 1 / sqrt(mean((x - mean)^2) + eps), g = dy * weight:
//   layer: r (g - mean(g) - n mean(g n));   rms, without a mean: r (g - n mean(g n));   scales: g
// Equals what torch.autograd gives the input of LayerNorm and RMSNorm.
GradientRows before_norm(const RowNorm& norm, const GradientRows& x, const GradientRows& dy);

}  // namespace headscope
