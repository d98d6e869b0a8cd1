// One layer of a model beside its attention, in plain loops of double: norms, residual sums and the MLP by their
// definitions. Only weights and sizes come from the engine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "core/model/checkpoint.h"

namespace headscope {

using PlainRow = std::vector<double>;

inline PlainRow plain_row(const Tensor& tensor, Region region) {
  std::vector<float> values(static_cast<std::size_t>(element_count(region)));
  tensor.read(region, values);
  return {values.begin(), values.end()};
}

inline PlainRow plain_sum(const PlainRow& a, const PlainRow& b) {
  PlainRow sum(a.size());
  for (std::size_t d = 0; d < a.size(); ++d) sum[d] = a[d] + b[d];
  return sum;
}

inline PlainRow plain_norm(const Architecture& architecture, const NormWeights& weights, const PlainRow& x) {
  if (weights.weight.empty()) return x;
  double mean = 0, squares = 0;
  if (architecture.norm == Architecture::Norm::layer) {
    for (const double each : x) mean += each;
    mean /= static_cast<double>(x.size());
  }
  for (const double each : x) squares += (each - mean) * (each - mean);
  const double root = std::sqrt(squares / static_cast<double>(x.size()) + architecture.norm_eps);
  PlainRow y(x.size());
  for (std::size_t d = 0; d < x.size(); ++d) {
    const auto at = static_cast<std::int64_t>(d);
    const double weight = static_cast<double>(weights.weight.at({at})) + (architecture.norm_plus_one ? 1 : 0);
    y[d] = (x[d] - mean) / root * weight;
    if (!weights.bias.empty()) y[d] += static_cast<double>(weights.bias.at({at}));
  }
  return y;
}

inline PlainRow plain_linear(const Linear& linear, const PlainRow& x) {
  PlainRow y(static_cast<std::size_t>(linear.weight.dim(0)));
  for (std::size_t o = 0; o < y.size(); ++o) {
    const auto out = static_cast<std::int64_t>(o);
    for (std::size_t d = 0; d < x.size(); ++d) {
      y[o] += static_cast<double>(linear.weight.at({out, static_cast<std::int64_t>(d)})) * x[d];
    }
    if (!linear.bias.empty()) y[o] += static_cast<double>(linear.bias.at({out}));
  }
  return y;
}

inline double plain_activation(Architecture::Activation activation, double x) {
  if (activation == Architecture::Activation::gelu) return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
  if (activation == Architecture::Activation::silu) return x / (1 + std::exp(-x));
  if (activation == Architecture::Activation::relu) return x < 0 ? 0 : x;
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

// down(f(gate x) * up x), or down(f(up x)) without a gate.
inline PlainRow plain_mlp(const Architecture& architecture, const BlockWeights& weights, const PlainRow& x) {
  PlainRow hidden = plain_linear(weights.up, x);
  const bool gated = architecture.mlp == Architecture::Mlp::gated;
  const PlainRow gate = gated ? plain_linear(weights.gate, x) : PlainRow();
  for (std::size_t k = 0; k < hidden.size(); ++k) {
    hidden[k] = gated ? plain_activation(architecture.activation, gate[k]) * hidden[k]
                      : plain_activation(architecture.activation, hidden[k]);
  }
  return plain_linear(weights.down, hidden);
}

inline PlainRow plain_expert(const Architecture& architecture, const ExpertWeights::Expert& expert, const PlainRow& x) {
  const auto& clamp = architecture.mixture->clamp;
  const PlainRow gate = plain_linear(expert.gate, x);
  PlainRow hidden = plain_linear(expert.up, x);
  for (std::size_t k = 0; k < hidden.size(); ++k) {
    if (clamp) {
      const double g = std::min(gate[k], clamp->limit);
      const double u = std::clamp(hidden[k], -clamp->limit, clamp->limit);
      hidden[k] = g / (1 + std::exp(-clamp->slope * g)) * (u + 1);
    } else {
      hidden[k] *= plain_activation(architecture.activation, gate[k]);
    }
  }
  return plain_linear(expert.down, hidden);
}

// Of `count` numbers that `of` gives the places of the `most` largest, the largest first.
template <typename Of>
std::vector<std::size_t> plain_largest(std::size_t count, std::int64_t most, Of of) {
  std::vector<std::size_t> chosen;
  for (std::int64_t k = 0; k < most; ++k) {
    std::size_t best = count;
    for (std::size_t e = 0; e < count; ++e) {
      const bool free = std::find(chosen.begin(), chosen.end(), e) == chosen.end();
      if (free && (best == count || of(e) > of(best))) best = e;
    }
    chosen.push_back(best);
  }
  return chosen;
}

// Of a mixture: the experts of the largest logits, or of the largest corrected sigmoids of the best groups, each by its
// share of the softmax over all of them, or over those, or by its sigmoid; and the one that all rows pass.
inline PlainRow plain_experts(const Architecture& architecture, const ExpertWeights& weights, const PlainRow& x) {
  const MixtureRule& rule = *architecture.mixture;
  PlainRow shares = plain_linear(weights.router, x);
  double all = 0, taken = 0;
  for (double& share : shares) all += share = rule.sigmoid ? 1 / (1 + std::exp(-share)) : std::exp(share);
  if (rule.sigmoid) all = 1;
  PlainRow scores = shares;
  for (std::int64_t e = 0; e < weights.correction.size(); ++e) {
    scores[static_cast<std::size_t>(e)] += static_cast<double>(weights.correction.at({e}));
  }
  const std::size_t size = scores.size() / static_cast<std::size_t>(rule.groups);
  const auto goodness = [&](std::size_t group) {
    const auto of_group = [&](std::size_t e) { return scores[group * size + e]; };
    double sum = 0;
    for (const std::size_t e : plain_largest(size, rule.correction ? 2 : 1, of_group)) sum += of_group(e);
    return sum;
  };
  const auto groups = plain_largest(static_cast<std::size_t>(rule.groups), rule.chosen_groups, goodness);
  const auto score = [&](std::size_t e) {
    const bool good = std::find(groups.begin(), groups.end(), e / size) != groups.end();
    return good ? scores[e] : -1e300;
  };
  const auto chosen = plain_largest(scores.size(), rule.chosen, score);
  for (const std::size_t e : chosen) taken += shares[e];
  PlainRow sum(x.size());
  for (const std::size_t e : chosen) {
    const PlainRow added = plain_expert(architecture, weights.experts[e], x);
    const double factor = shares[e] / (rule.renormalised ? taken : all) * rule.factor;
    for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += factor * added[d];
  }
  return rule.shared_width > 0 ? plain_sum(sum, plain_expert(architecture, weights.shared, x)) : sum;
}

// What is made of what enters a layer and what its attention adds.
struct PlainLayer {
  PlainRow mlp_in, mlp_out;  // empty without an MLP
  PlainRow left;
};

inline PlainLayer plain_layer(const Architecture& architecture, const BlockWeights& weights, const PlainRow& entered,
                              const PlainRow& attention) {
  using Place = Architecture::NormPlace;
  PlainLayer layer;
  PlainRow s = plain_sum(entered, attention);
  if (architecture.norm_place == Place::after_sum) s = plain_norm(architecture, weights.attention_norm, s);
  layer.left = s;
  if (architecture.mlp == Architecture::Mlp::none) return layer;
  const bool before = architecture.norm_place == Place::before || architecture.norm_place == Place::around;
  layer.mlp_in = s;
  if (architecture.parallel) {
    const bool shared = weights.mlp_norm.weight.empty();
    layer.mlp_in = plain_norm(architecture, shared ? weights.attention_norm : weights.mlp_norm, entered);
  } else if (before) {
    layer.mlp_in = plain_norm(architecture, weights.mlp_norm, s);
  }
  layer.mlp_out = weights.experts != nullptr ? plain_experts(architecture, *weights.experts, layer.mlp_in)
                                             : plain_mlp(architecture, weights, layer.mlp_in);
  if (architecture.norm_place == Place::after || architecture.norm_place == Place::around) {
    layer.mlp_out = plain_norm(architecture, weights.mlp_norm_out, layer.mlp_out);
  }
  layer.left = plain_sum(s, layer.mlp_out);
  if (architecture.norm_place == Place::after_sum) layer.left = plain_norm(architecture, weights.mlp_norm, layer.left);
  return layer;
}

}  // namespace headscope
