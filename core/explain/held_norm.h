// A norm with its statistics held: a linear map of the row, so that what was added up can be followed through it.
#pragma once

#include <span>
#include <vector>

#include "core/model/row_norm.h"

namespace headscope {

// The norm of row_norm.h at the mean m (0 for an RMS norm) and the scale f = 1 / root(mean (x - m)^2 + eps) of one row
// x, in double: y = f (x - m) g + bias, where m stays the mean of whatever is put in and f stays that of x. Exact at x
// itself. Without weights it is the identity.
class HeldNorm {
 public:
  HeldNorm(const RowNorm& norm, std::span<const float> x);

  bool has_bias() const { return !bias_.empty(); }
  // direction . bias; 0 without a bias.
  double of_bias(std::span<const double> direction) const;
  // The direction before the norm: before(u) . x = u . (y - bias) for every x.
  //   before(u)_e = f g_e u_e, less the mean of f g u over the features with a LayerNorm
  std::vector<double> before(std::span<const double> direction) const;
  // What the map makes of a part of a row, without the bias: f (x - m) g.
  std::vector<double> after(std::span<const double> x) const;

 private:
  bool centred_ = false;
  std::vector<double> factors_;  // f g; empty: the identity
  std::vector<float> bias_;
};

}  // namespace headscope
