// The steps of a layer whose numbers are rounded as they are stored, which need no products. Internal to core/compare.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/compare/rounder.h"
#include "core/compare/wide_stage.h"
#include "core/model/head_rule.h"
#include "core/model/row_norm.h"
#include "core/tensor/tensor.h"

namespace headscope {

// `Real` is what is not rounded.
template <typename Real>
class RoundedSteps {
 public:
  explicit RoundedSteps(const Rounder& rounder) : rounder_(rounder) {}

  double stored(Real value) const { return rounder_.stored(static_cast<double>(value)); }
  Real summed(Real value) const { return static_cast<Real>(rounder_.summed(static_cast<double>(value))); }
  const Rounder& rounder() const { return rounder_; }

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

  // Bounds, norm and rotary positions of heads; see turn_heads(). `norm` empty: no norm.
  void turn(WideStage& heads, const HeadRule& rule, const Tensor& norm) const {
    const std::int64_t features = heads.shape[3], len = heads.shape[2], count = heads.shape[1];
    const std::vector<double> weight = norm.empty() ? std::vector<double>() : rounder_.given(norm);
    if (rule.clip <= 0 && norm.empty() && rule.rotary == nullptr) return;
    if (rule.clip > 0) {
      for (double& each : heads.values) each = stored(static_cast<Real>(rule.held(each)));
    }
    const std::vector<NormScale> scales = norm.empty() ? std::vector<NormScale>() : norm_scales(heads, rule);
    for (std::size_t row = 0; row * static_cast<std::size_t>(features) < heads.values.size(); ++row) {
      double* x = heads.values.data() + row * static_cast<std::size_t>(features);
      std::vector<Real> made(x, x + features);
      if (!weight.empty()) {
        const std::int64_t head = static_cast<std::int64_t>(row) / len % count;
        const auto first = static_cast<std::size_t>(rule.norm_whole || rule.norm_own ? head * features : 0);
        const Real offset = static_cast<Real>(rule.norm_plus_one ? 1 : 0);
        for (std::size_t d = 0; d < made.size(); ++d) {
          made[d] = (made[d] - scales[row].mean) * scales[row].factor * (static_cast<Real>(weight[first + d]) + offset);
        }
      }
      if (rule.rotary != nullptr) turn_row(made, rule.rotary->rule(), static_cast<std::int64_t>(row) % len);
      for (std::int64_t d = 0; d < features; ++d) x[d] = stored(made[static_cast<std::size_t>(d)]);
    }
    rounder_.store(heads);
  }

  // The position of bias_k or bias_v after the others.
  void append(WideStage& heads, const Tensor& bias) const {
    const std::vector<double> extra = rounder_.given(bias);
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

  // The positions of a past before those of heads.
  void prepend(const Tensor& past, WideStage& heads) const {
    const std::vector<double> first = rounder_.given_stage(past).values;
    const std::int64_t own = heads.shape[2] * heads.shape[3], before = past.dim(2) * past.dim(3);
    WideStage longer{{heads.shape[0], heads.shape[1], past.dim(2) + heads.shape[2], heads.shape[3]}, {}};
    for (std::int64_t row = 0; row < heads.shape[0] * heads.shape[1]; ++row) {
      const auto from = first.begin() + row * before;
      longer.values.insert(longer.values.end(), from, from + before);
      const auto rest = heads.values.begin() + row * own;
      longer.values.insert(longer.values.end(), rest, rest + own);
    }
    heads = std::move(longer);
  }

  // What a mask adds to one score; a mask of one head or batch item is that of all.
  Real added(const Tensor& mask, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    if (mask.empty()) return 0;
    const double value = static_cast<double>(mask.at({mask.dim(0) == 1 ? 0 : b, mask.dim(1) == 1 ? 0 : h, i, j}));
    return static_cast<Real>(rounder_.given(value));
  }

  // Softmax in place, of `count` numbers that lie `step` apart, and of one more that is given and not kept: returns its
  // share; -inf where there is none.
  double softmax(double* x, std::int64_t count, std::int64_t step,
                 double sink = -std::numeric_limits<double>::infinity()) const {
    Real largest = static_cast<Real>(sink);
    for (std::int64_t k = 0; k < count; ++k) largest = std::max(largest, static_cast<Real>(x[k * step]));
    const bool has_sink = std::isfinite(sink);
    const Real own = has_sink ? std::exp(static_cast<Real>(sink) - largest) : 0;
    Real sum = own;
    std::vector<Real> powers(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k) {
      powers[static_cast<std::size_t>(k)] = std::exp(static_cast<Real>(x[k * step]) - largest);
      sum = summed(sum + powers[static_cast<std::size_t>(k)]);
    }
    for (std::int64_t k = 0; k < count; ++k) x[k * step] = stored(powers[static_cast<std::size_t>(k)] / sum);
    return stored(own / sum);
  }

  // Of rows [batch, len, features].
  WideStage normalised(WideStage x, const RowNorm& norm) const {
    const std::vector<double> weight = rounder_.given(norm.weights.weight);
    const std::vector<double> bias =
        norm.weights.bias.empty() ? std::vector<double>(weight.size()) : rounder_.given(norm.weights.bias);
    const auto features = static_cast<std::int64_t>(weight.size());
    const Real offset = static_cast<Real>(norm.plus_one ? 1 : 0);
    for (auto row = x.values.begin(); row != x.values.end(); row += features) {
      if (norm.scales) {
        for (std::int64_t d = 0; d < features; ++d) {
          row[d] = stored(static_cast<Real>(row[d]) * static_cast<Real>(weight[static_cast<std::size_t>(d)]));
        }
        continue;
      }
      Real mean = 0, squares = 0;
      if (norm.kind == Architecture::Norm::layer) {
        for (std::int64_t d = 0; d < features; ++d) {
          mean = summed(mean + static_cast<Real>(row[d]) / static_cast<Real>(features));
        }
      }
      for (std::int64_t d = 0; d < features; ++d) {
        const Real centred = static_cast<Real>(row[d]) - mean;
        squares = summed(squares + centred * centred);
      }
      const Real factor = 1 / std::sqrt(squares / static_cast<Real>(features) + static_cast<Real>(norm.eps));
      for (std::int64_t d = 0; d < features; ++d) {
        const auto at = static_cast<std::size_t>(d);
        row[d] = stored((static_cast<Real>(row[d]) - mean) * factor * (static_cast<Real>(weight[at]) + offset) +
                        static_cast<Real>(bias[at]));
      }
    }
    rounder_.store(x);
    return x;
  }

 private:
  // What a norm takes from each number of a row, and what it multiplies the rest by before the weight.
  struct NormScale {
    Real mean = 0, factor = 1;
  };

  // Of every row of heads [batch, heads, len, features]; the mean and 1 / root of the mean of the squares.
  std::vector<NormScale> norm_scales(const WideStage& heads, const HeadRule& rule) const {
    const std::int64_t count = heads.shape[1], len = heads.shape[2], features = heads.shape[3];
    const std::int64_t rows = heads.shape[0] * count * len, together = rule.norm_whole ? count : 1;
    const Real size = static_cast<Real>(together * features);
    std::vector<NormScale> scales(static_cast<std::size_t>(rows));
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t first = rule.norm_whole ? row / (count * len) * count * len + row % len : row;
      // Of what every head gives, as a sum over its features.
      const auto sum_of = [&](auto&& of) {
        Real sum = 0;
        for (std::int64_t h = 0; h < together; ++h) {
          const double* x = heads.values.data() + (first + h * len) * features;
          Real own = 0;
          for (std::int64_t d = 0; d < features; ++d) own = summed(own + of(static_cast<Real>(x[d])));
          sum = summed(sum + own);
        }
        return sum;
      };
      NormScale& scale = scales[static_cast<std::size_t>(row)];
      if (rule.norm_centred) scale.mean = sum_of([](Real x) { return x; }) / size;
      const Real mean = scale.mean;
      const Real squares = sum_of([mean](Real x) { return (x - mean) * (x - mean); });
      scale.factor = 1 / std::sqrt(squares / size + static_cast<Real>(rule.norm_eps));
    }
    return scales;
  }

  static void turn_row(std::vector<Real>& x, const RotaryRule& rule, std::int64_t position) {
    const std::int64_t pairs = rule.features / 2;
    const bool halves = rule.pairs == RotaryRule::Pairs::halves;
    for (std::int64_t p = 0; p < pairs; ++p) {
      const auto at = static_cast<std::size_t>(rule.begin + (halves ? p : 2 * p));
      const auto other = static_cast<std::size_t>(rule.begin + (halves ? p + pairs : 2 * p + 1));
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

  const Rounder rounder_;
};

}  // namespace headscope
