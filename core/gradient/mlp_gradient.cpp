#include "core/gradient/mlp_gradient.h"

#include <cmath>
#include <numbers>
#include <string>

#include "core/base/assert.h"

namespace headscope {
namespace {

// x sigmoid(factor x)
Activated swish(double factor, double x) {
  const double sigmoid = 1.0 / (1.0 + std::exp(-factor * x));
  return {x * sigmoid, sigmoid * (1.0 + factor * x * (1.0 - sigmoid))};
}

Activated gelu(double x) {
  const double share = 0.5 * (1.0 + std::erf(x / std::numbers::sqrt2));
  const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
  return {x * share, share + x * density};
}

// Hendrycks and Gimpel 2016.
Activated gelu_tanh(double x) {
  constexpr double kCubic = 0.044715;
  const double factor = std::sqrt(2.0 / std::numbers::pi);
  const double t = std::tanh(factor * (x + kCubic * x * x * x));
  const double inner = factor * (1.0 + 3.0 * kCubic * x * x);
  return {0.5 * x * (1.0 + t), 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * inner};
}

bool is_gated(const Architecture& architecture) {
  return architecture.mlp == Architecture::Mlp::gated;
}

}  // namespace

Activated activated(Architecture::Activation activation, double x) {
  constexpr double kQuickGelu = 1.702;
  switch (activation) {
    case Architecture::Activation::gelu:
      return gelu(x);
    case Architecture::Activation::gelu_tanh:
      return gelu_tanh(x);
    case Architecture::Activation::silu:
      return swish(1.0, x);
    case Architecture::Activation::relu:
      return {x > 0 ? x : 0.0, x > 0 ? 1.0 : 0.0};
    case Architecture::Activation::quick_gelu:
      return swish(kQuickGelu, x);
  }
  HEADSCOPE_ASSERT(false, "activation " + std::to_string(static_cast<int>(activation)));
  return {};
}

MlpPass mlp_pass(const Architecture& architecture, const BlockWeights& weights, const GradientRows& x,
                 ThreadPool& threads) {
  MlpPass pass;
  pass.up = linear_of(x, weights.up, threads);
  if (is_gated(architecture)) pass.gate = linear_of(x, weights.gate, threads);
  pass.result = linear_of(neurons_of(architecture, pass), weights.down, threads);
  return pass;
}

GradientRows neurons_of(const Architecture& architecture, const MlpPass& pass) {
  const bool gated = is_gated(architecture);
  GradientRows inner = gated ? pass.gate : pass.up;
  for (std::size_t k = 0; k < inner.values.size(); ++k) {
    inner.values[k] = activated(architecture.activation, inner.values[k]).value;
    if (gated) inner.values[k] *= pass.up.values[k];
  }
  return inner;
}

GradientRows before_mlp(const Architecture& architecture, const BlockWeights& weights, const MlpPass& pass,
                        const GradientRows& dy, ThreadPool& threads) {
  GradientRows inner = before_linear(dy, weights.down, threads);
  if (!is_gated(architecture)) {
    for (std::size_t k = 0; k < inner.values.size(); ++k) {
      inner.values[k] *= activated(architecture.activation, pass.up.values[k]).slope;
    }
    return before_linear(inner, weights.up, threads);
  }
  GradientRows gate = inner;
  for (std::size_t k = 0; k < inner.values.size(); ++k) {
    const Activated f = activated(architecture.activation, pass.gate.values[k]);
    gate.values[k] *= pass.up.values[k] * f.slope;
    inner.values[k] *= f.value;
  }
  GradientRows dx = before_linear(inner, weights.up, threads);
  dx += before_linear(gate, weights.gate, threads);
  return dx;
}

}  // namespace headscope
