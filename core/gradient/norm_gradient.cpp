#include "core/gradient/norm_gradient.h"

#include <cmath>

#include "core/base/assert.h"

namespace headscope {
namespace {

// n = (x - mean) r of a row, and r.
double scaled_row(const RowNorm& norm, std::span<const double> x, std::vector<double>& n) {
  const auto count = static_cast<double>(x.size());
  double mean = 0, squares = 0;
  if (norm.kind == Architecture::Norm::layer) {
    for (const double value : x) mean += value;
    mean /= count;
  }
  for (const double value : x) squares += (value - mean) * (value - mean);
  const double factor = 1.0 / std::sqrt(squares / count + norm.eps);
  n.resize(x.size());
  for (std::size_t d = 0; d < x.size(); ++d) n[d] = (x[d] - mean) * factor;
  return factor;
}

// What each feature is multiplied by.
std::vector<double> factors_of(const RowNorm& norm) {
  const double offset = norm.plus_one && !norm.scales ? 1.0 : 0.0;
  std::vector<double> factors;
  for (const float weight : norm.weights.weight.values()) factors.push_back(offset + static_cast<double>(weight));
  return factors;
}

}  // namespace

GradientRows normed(const RowNorm& norm, const GradientRows& x) {
  if (norm.weights.empty()) return x;
  const std::vector<double> factors = factors_of(norm);
  const std::vector<float> bias = norm.scales ? std::vector<float>() : norm.weights.bias.values();
  HEADSCOPE_ASSERT(std::ssize(factors) == x.features, to_string(norm.weights.weight.shape()));
  GradientRows y(x.count, x.features);
  std::vector<double> n;
  for (std::int64_t i = 0; i < x.count; ++i) {
    const std::span<const double> from = x.row(i);
    if (norm.scales) {
      n.assign(from.begin(), from.end());
    } else {
      scaled_row(norm, from, n);
    }
    const std::span<double> to = y.row(i);
    for (std::size_t d = 0; d < n.size(); ++d) {
      to[d] = n[d] * factors[d] + (bias.empty() ? 0.0 : static_cast<double>(bias[d]));
    }
  }
  return y;
}

GradientRows before_norm(const RowNorm& norm, const GradientRows& x, const GradientRows& dy) {
  if (norm.weights.empty()) return dy;
  const std::vector<double> factors = factors_of(norm);
  const auto count = static_cast<double>(x.features);
  GradientRows dx(x.count, x.features);
  std::vector<double> n, g(factors.size());
  for (std::int64_t i = 0; i < x.count; ++i) {
    const std::span<const double> from = dy.row(i);
    for (std::size_t d = 0; d < g.size(); ++d) g[d] = from[d] * factors[d];
    const std::span<double> to = dx.row(i);
    if (norm.scales) {
      for (std::size_t d = 0; d < g.size(); ++d) to[d] = g[d];
      continue;
    }
    const double factor = scaled_row(norm, x.row(i), n);
    double mean = 0, along = 0;
    for (std::size_t d = 0; d < g.size(); ++d) {
      if (norm.kind == Architecture::Norm::layer) mean += g[d] / count;
      along += g[d] * n[d] / count;
    }
    for (std::size_t d = 0; d < g.size(); ++d) to[d] = factor * (g[d] - mean - n[d] * along);
  }
  return dx;
}

}  // namespace headscope
