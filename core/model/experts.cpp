#include "core/model/experts.h"

#include <algorithm>
#include <cmath>
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

// expert(x) of [1, rows, d_model].
Tensor expert_of(const Architecture& architecture, const ExpertWeights::Expert& expert, const Tensor& x,
                 const Backend& backend, const CancelToken& cancel) {
  const Shape inner{1, x.dim(1), architecture.mixture->width};
  Tensor gate = Tensor::zeros(inner, kAxes), up = Tensor::zeros(inner, kAxes), result = Tensor::zeros(x.shape(), kAxes);
  backend.linear_into(x, expert.gate, gate, cancel);
  backend.linear_into(x, expert.up, up, cancel);
  join(architecture, all_values(gate), all_values(up));
  backend.linear_into(gate, expert.down, result, cancel);
  return result;
}

}  // namespace

Routing routing_of(const MixtureRule& rule, const Linear& router, const Tensor& x, const Backend& backend,
                   const CancelToken& cancel) {
  const std::int64_t rows = x.dim(0) * x.dim(1);
  const auto count = static_cast<std::size_t>(rule.experts), chosen = static_cast<std::size_t>(rule.chosen);
  const Tensor logits = backend.linear(x, router.weight, router.bias, cancel);
  Routing to;
  to.probabilities = Tensor::zeros({x.dim(0), x.dim(1), rule.experts}, kAxes);
  to.chosen = Tensor::zeros({x.dim(0), x.dim(1), rule.chosen}, kAxes);
  to.factors = Tensor::zeros({x.dim(0), x.dim(1), rule.chosen}, kAxes);
  std::vector<std::size_t> order(count);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::span<const float> own(logits.data() + row * rule.experts, count);
    const std::span<float> p(to.probabilities.mutable_data() + row * rule.experts, count);
    softmax(own, p);
    // By the logits, which differ where probabilities have been rounded to 0. NaN comes last.
    const auto larger = [&](std::size_t a, std::size_t b) {
      if (std::isnan(own[a]) != std::isnan(own[b])) return std::isnan(own[b]);
      return own[a] > own[b] || (!(own[b] > own[a]) && a < b);
    };
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(chosen), order.end(), larger);
    double sum = 0;
    for (std::size_t k = 0; k < chosen; ++k) sum += p[order[k]];
    for (std::size_t k = 0; k < chosen; ++k) {
      const auto at = static_cast<std::size_t>(row) * chosen + k;
      all_values(to.chosen)[at] = static_cast<float>(order[k]);
      all_values(to.factors)[at] = rule.renormalised ? static_cast<float>(p[order[k]] / sum) : p[order[k]];
    }
  }
  return to;
}

void experts_of(const Architecture& architecture, const ExpertWeights& weights, const Tensor& x, const Backend& backend,
                const CancelToken& cancel, Tensor& result) {
  HEADSCOPE_ASSERT(result.shape() == x.shape(), to_string(result.shape()) + " for " + to_string(x.shape()));
  const Tensor in = x.dense() ? x : x.dense_copy();
  const std::int64_t len = x.dim(1), width = x.dim(2), chosen = architecture.mixture->chosen;
  const Routing routing = routing_of(*architecture.mixture, weights.router, in, backend, cancel);
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
}

}  // namespace headscope
