// The steps of a layer whose numbers are rounded as they are stored, which need no products. Internal to core/compare.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/compare/number_format.h"
#include "core/compare/wide_stage.h"
#include "core/model/head_rule.h"
#include "core/tensor/tensor.h"

namespace headscope {

// `Real` is what sums are made in; without a format nothing is rounded.
template <typename Real>
class RoundedSteps {
 public:
  explicit RoundedSteps(std::optional<NumberType> format) : format_(format) {}

  double stored(Real value) const {
    return format_ ? rounded_to(*format_, static_cast<double>(value)) : static_cast<double>(value);
  }
  std::vector<double> stored(const Tensor& tensor) const {
    std::vector<double> result;
    result.reserve(static_cast<std::size_t>(tensor.size()));
    for (const float value : tensor.values()) result.push_back(stored(static_cast<Real>(value)));
    return result;
  }

  // The same numbers in another order of axes.
  static WideStage permuted(const WideStage& from, const PerAxis<int>& order) {
    WideStage result;
    const Strides steps = row_major_strides(from.shape);
    for (const int axis : order) result.shape.push_back(from.shape[axis]);
    result.values.resize(from.values.size());
    Index at = result.shape;
    std::fill(at.values.begin(), at.values.end(), 0);
    for (double& value : result.values) {
      std::int64_t place = 0;
      for (int axis = 0; axis < order.count; ++axis) place += at[axis] * steps[order[axis]];
      value = from.values[static_cast<std::size_t>(place)];
      for (int axis = order.count - 1; axis >= 0 && ++at[axis] == result.shape[axis]; --axis) at[axis] = 0;
    }
    return result;
  }

  // Norm and rotary positions of every head; see turn_heads(). `norm` empty: no norm.
  void turn(WideStage& heads, const HeadRule& rule, const Tensor& norm) const {
    const std::int64_t features = heads.shape[3], len = heads.shape[2];
    const std::vector<double> weight = norm.empty() ? std::vector<double>() : stored(norm);
    for (std::size_t row = 0; row * static_cast<std::size_t>(features) < heads.values.size(); ++row) {
      double* x = heads.values.data() + row * static_cast<std::size_t>(features);
      std::vector<Real> made(x, x + features);
      if (!weight.empty()) {
        Real squares = 0;
        for (const Real value : made) squares += value * value;
        const Real factor = 1 / std::sqrt(squares / static_cast<Real>(features) + static_cast<Real>(rule.norm_eps));
        for (std::size_t d = 0; d < made.size(); ++d) {
          made[d] = made[d] * factor * (static_cast<Real>(weight[d]) + static_cast<Real>(rule.norm_plus_one ? 1 : 0));
        }
      }
      if (rule.rotary != nullptr) turn_row(made, rule.rotary->rule(), static_cast<std::int64_t>(row) % len);
      for (std::int64_t d = 0; d < features; ++d) x[d] = stored(made[static_cast<std::size_t>(d)]);
    }
  }

  // The position of bias_k or bias_v after the others.
  void append(WideStage& heads, const Tensor& bias) const {
    const std::vector<double> extra = stored(bias);
    const std::int64_t len = heads.shape[2], features = heads.shape[3], kv_heads = heads.shape[1];
    WideStage longer{{heads.shape[0], kv_heads, len + 1, features}, {}};
    for (std::int64_t row = 0; row < heads.shape[0] * kv_heads; ++row) {
      const auto from = heads.values.begin() + row * len * features;
      longer.values.insert(longer.values.end(), from, from + len * features);
      const auto own = extra.begin() + row % kv_heads * features;
      longer.values.insert(longer.values.end(), own, own + features);
    }
    heads = std::move(longer);
  }

  // Softmax over `count` numbers that lie `step` apart.
  void softmax(double* x, std::int64_t count, std::int64_t step) const {
    Real largest = -std::numeric_limits<Real>::infinity();
    for (std::int64_t k = 0; k < count; ++k) largest = std::max(largest, static_cast<Real>(x[k * step]));
    Real sum = 0;
    std::vector<Real> powers(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k) {
      sum += powers[static_cast<std::size_t>(k)] = std::exp(static_cast<Real>(x[k * step]) - largest);
    }
    for (std::int64_t k = 0; k < count; ++k) x[k * step] = stored(powers[static_cast<std::size_t>(k)] / sum);
  }

 private:
  static void turn_row(std::vector<Real>& x, const RotaryRule& rule, std::int64_t position) {
    const std::int64_t pairs = rule.features / 2;
    const bool halves = rule.pairs == RotaryRule::Pairs::halves;
    for (std::int64_t p = 0; p < pairs; ++p) {
      const auto at = static_cast<std::size_t>(halves ? p : 2 * p);
      const auto other = static_cast<std::size_t>(halves ? p + pairs : 2 * p + 1);
      // The angle is a float32 by definition.
      const double angle =
          static_cast<float>(position) * static_cast<float>(rule.inverse_frequencies[static_cast<std::size_t>(p)]);
      const Real cosine = static_cast<Real>(rule.factor * std::cos(angle));
      const Real sine = static_cast<Real>(rule.factor * std::sin(angle));
      const Real a = x[at], b = x[other];
      x[at] = a * cosine - b * sine;
      x[other] = b * cosine + a * sine;
    }
  }

  std::optional<NumberType> format_;
};

}  // namespace headscope
