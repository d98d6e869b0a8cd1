// The MLP of a layer, forwards and backwards, in double.
#pragma once

#include "core/gradient/rows.h"
#include "core/model/architecture.h"
#include "core/model/checkpoint_weights.h"

namespace headscope {

// f of an MLP and its slope:
//   gelu: x Phi(x); Phi(x) + x phi(x)          gelu_tanh: x (1 + t) / 2 with t = tanh u; (1 + t + x (1 - t^2) u') / 2
//   silu: x s with s = sigmoid(x); s (1 + x (1 - s))    quick_gelu: the same with s = sigmoid(1.702 x)    relu: x > 0
struct Activated {
  double value = 0, slope = 0;
};
Activated activated(Architecture::Activation activation, double x);

// What an MLP (not a mixture) computed on the way.
struct MlpPass {
  GradientRows up, gate;  // what leaves the first matrices; gate only where it is gated
  GradientRows result;    // down(f(up)), or down(f(gate) * up)
};
MlpPass mlp_pass(const Architecture& architecture, const BlockWeights& weights, const GradientRows& x,
                 ThreadPool& threads);

// Returns what the last matrix reads, a column a neuron: f(up), or f(gate) * up.
GradientRows neurons_of(const Architecture& architecture, const MlpPass& pass);

// The gradient by x.
GradientRows before_mlp(const Architecture& architecture, const BlockWeights& weights, const MlpPass& pass,
                        const GradientRows& dy, ThreadPool& threads);

}  // namespace headscope
