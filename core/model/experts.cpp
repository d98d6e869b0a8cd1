#include "core/model/experts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/base/assert.h"
#include "core/model/activate.h"

namespace headscope {
namespace {

const Axes kAxes{Axis::batch, Axis::position, Axis::feature};

std::span<float> all_values(Tensor& tensor) {
  return {tensor.mutable_data(), static_cast<std::size_t>(tensor.size())};
}

// Of one row of logits, in double.
void softmax(std::span<const float> logits, std::span<float> probabilities) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  for (std::size_t e = 0; e < logits.size(); ++e) {
    probabilities[e] = static_cast<float>(std::exp(logits[e] - largest) / sum);
  }
}

void sigmoids(std::span<const float> logits, std::span<float> probabilities) {
  for (std::size_t e = 0; e < logits.size(); ++e) {
    probabilities[e] = static_cast<float>(1 / (1 + std::exp(-static_cast<double>(logits[e]))));
  }
}

// Takes all experts but those of the best groups out of `scores`, by which experts are chosen: they become -inf.
void keep_best_groups(const MixtureRule& rule, std::vector<float>& scores) {
  if (rule.chosen_groups >= rule.groups) return;
  const std::size_t size = scores.size() / static_cast<std::size_t>(rule.groups);
  const std::vector<float> goodness = group_goodness(rule, scores);
  std::vector<std::size_t> order(goodness.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return is_chosen_before(goodness, a, b); });
  for (std::size_t k = static_cast<std::size_t>(rule.chosen_groups); k < order.size(); ++k) {
    const auto first = scores.begin() + static_cast<std::ptrdiff_t>(order[k] * size);
    std::fill(first, first + static_cast<std::ptrdiff_t>(size), -std::numeric_limits<float>::infinity());
  }
}

// What stands between the matrices of an expert: gate becomes f(gate) * up, or the clamped form.
void join(const Architecture& architecture, std::span<float> gate, std::span<const float> up) {
  if (!architecture.mixture->clamp) {
    activate(architecture.activation, gate);
    for (std::size_t k = 0; k < gate.size(); ++k) gate[k] *= up[k];
    return;
  }
  const auto limit = static_cast<float>(architecture.mixture->clamp->limit);
  const double slope = architecture.mixture->clamp->slope;
  for (std::size_t k = 0; k < gate.size(); ++k) {
    // In this order NaN stays NaN.
    const double g = gate[k] > limit ? limit : gate[k];
    const double u = up[k] > limit ? limit : up[k] < -limit ? -limit : up[k];
    gate[k] = static_cast<float>(g / (1 + std::exp(-slope * g)) * (u + 1));
  }
}

// expert(x) of [batch, rows, d_model].
Tensor expert_of(const Architecture& architecture, const ExpertWeights::Expert& expert, const Tensor& x,
                 const Backend& backend, const CancelToken& cancel) {
  const Shape inner{x.dim(0), x.dim(1), expert.up.weight.dim(0)};
  Tensor gate = Tensor::zeros(inner, kAxes), up = Tensor::zeros(inner, kAxes), result = Tensor::zeros(x.shape(), kAxes);
  backend.linear_into(x, expert.gate, gate, cancel);
  backend.linear_into(x, expert.up, up, cancel);
  join(architecture, all_values(gate), all_values(up));
  backend.linear_into(gate, expert.down, result, cancel);
  return result;
}

}  // namespace

bool is_chosen_before(std::span<const float> scores, std::size_t at, std::size_t other) {
  const float a = scores[at], b = scores[other];
  if (std::isnan(a) != std::isnan(b)) return std::isnan(b);
  return a > b || (!(b > a) && at < other);
}

std::vector<float> group_goodness(const MixtureRule& rule, std::span<const float> scores) {
  const std::size_t size = scores.size() / static_cast<std::size_t>(rule.groups);
  std::vector<float> goodness;
  for (std::size_t first = 0; first < scores.size(); first += size) {
    const std::span<const float> group = scores.subspan(first, size);
    std::vector<float> own(group.begin(), group.end());
    const std::size_t counted = rule.correction ? std::min<std::size_t>(2, size) : 1;
    std::partial_sort(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(counted), own.end(), std::greater<>());
    goodness.push_back(std::accumulate(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(counted), 0.0F));
  }
  return goodness;
}

std::vector<float> choosing_scores(const MixtureRule& rule, std::span<const float> logits, std::span<const float> p,
                                   std::span<const float> correction) {
  const bool by_logits = !rule.correction && rule.chosen_groups >= rule.groups;
  std::vector<float> scores(by_logits ? logits.begin() : p.begin(), by_logits ? logits.end() : p.end());
  for (std::size_t e = 0; e < correction.size(); ++e) scores[e] += correction[e];
  keep_best_groups(rule, scores);
  return scores;
}

Routing routing_of(const MixtureRule& rule, const ExpertWeights& weights, const Tensor& x, const Backend& backend,
                   const CancelToken& cancel) {
  const std::int64_t rows = x.dim(0) * x.dim(1);
  const auto count = static_cast<std::size_t>(rule.experts), chosen = static_cast<std::size_t>(rule.chosen);
  const Tensor logits = backend.linear(x, weights.router.weight, weights.router.bias, cancel);
  Routing to;
  to.probabilities = Tensor::zeros({x.dim(0), x.dim(1), rule.experts}, kAxes);
  to.chosen = Tensor::zeros({x.dim(0), x.dim(1), rule.chosen}, kAxes);
  to.factors = Tensor::zeros({x.dim(0), x.dim(1), rule.chosen}, kAxes);
  const std::vector<float> correction = weights.correction.values();
  std::vector<std::size_t> order(count);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::span<const float> own(logits.data() + row * rule.experts, count);
    const std::span<float> p(to.probabilities.mutable_data() + row * rule.experts, count);
    rule.sigmoid ? sigmoids(own, p) : softmax(own, p);
    const std::vector<float> scores = choosing_scores(rule, own, p, correction);
    const auto larger = [&](std::size_t a, std::size_t b) { return is_chosen_before(scores, a, b); };
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(chosen), order.end(), larger);
    double sum = 0;
    for (std::size_t k = 0; k < chosen; ++k) sum += p[order[k]];
    for (std::size_t k = 0; k < chosen; ++k) {
      const auto at = static_cast<std::size_t>(row) * chosen + k;
      all_values(to.chosen)[at] = static_cast<float>(order[k]);
      const double factor = rule.renormalised ? p[order[k]] / sum : static_cast<double>(p[order[k]]);
      all_values(to.factors)[at] = static_cast<float>(factor * rule.factor);
    }
  }
  return to;
}

void experts_of(const Architecture& architecture, const ExpertWeights& weights, const Tensor& x, const Backend& backend,
                const CancelToken& cancel, Tensor& result) {
  HEADSCOPE_ASSERT(result.shape() == x.shape(), to_string(result.shape()) + " for " + to_string(x.shape()));
  const Tensor in = x.dense() ? x : x.dense_copy();
  const std::int64_t len = x.dim(1), width = x.dim(2), chosen = architecture.mixture->chosen;
  const Routing routing = routing_of(*architecture.mixture, weights, in, backend, cancel);
  const auto result_row = [&](std::int64_t row) {
    return result.mutable_data() + row / len * result.strides()[0] + row % len * result.strides()[1];
  };
  for (std::int64_t row = 0; row < x.dim(0) * len; ++row) std::fill_n(result_row(row), width, 0.0F);
  for (std::size_t e = 0; e < weights.experts.size(); ++e) {
    std::vector<std::int64_t> places;  // in `chosen`, of rows that go to this expert
    for (std::int64_t at = 0; at < routing.chosen.size(); ++at) {
      if (routing.chosen.data()[at] == static_cast<float>(e)) places.push_back(at);
    }
    if (places.empty()) continue;
    cancel.check();
    Tensor rows = Tensor::zeros({1, static_cast<std::int64_t>(places.size()), width}, kAxes);
    for (std::size_t k = 0; k < places.size(); ++k) {
      std::copy_n(in.data() + places[k] / chosen * width, width,
                  rows.mutable_data() + static_cast<std::int64_t>(k) * width);
    }
    const Tensor added = expert_of(architecture, weights.experts[e], rows, backend, cancel);
    for (std::size_t k = 0; k < places.size(); ++k) {
      const float factor = routing.factors.data()[places[k]];
      const float* from = added.data() + static_cast<std::int64_t>(k) * width;
      float* to = result_row(places[k] / chosen);
      for (std::int64_t d = 0; d < width; ++d) to[d] += factor * from[d];
    }
  }
  if (weights.shared.up.empty()) return;
  const Tensor shared = expert_of(architecture, weights.shared, in, backend, cancel);
  for (std::int64_t row = 0; row < x.dim(0) * len; ++row) {
    for (std::int64_t d = 0; d < width; ++d) result_row(row)[d] += shared.data()[row * width + d];
  }
}

}  // namespace headscope
