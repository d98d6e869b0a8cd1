// The derivative of a norm.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/row_norm.h"

namespace headscope {

// d y[own] / d x of the norm y of a row x (row_norm.h). With g its weights, m the mean of x (0 for an RMS norm) and
// f = 1 / root(mean (x - m)^2 + eps):
//   d y_d / d x_e = g_d f (delta_de - 1 / n - (x_d - m) (x_e - m) f^2 / n), for an RMS norm without the 1 / n
std::vector<double> norm_slopes(const RowNorm& norm, std::vector<double> x, std::int64_t own);

}  // namespace headscope
