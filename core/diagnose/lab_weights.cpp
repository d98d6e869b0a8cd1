// This part of the lab goes from masked scores to weights, with dropout.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/backend/score_steps.h"
#include "core/diagnose/layer_lab.h"

namespace headscope {

// `count` numbers that lie `step` apart become what `powers` makes of them, divided by their sum.
void LayerLab::normalise(double* first, std::int64_t count, std::int64_t step, double sink) const {
  const LayerFaults& faults = what_.faults;
  using Powers = LayerFaults::Powers;
  if (faults.powers == Powers::sigmoid) {
    for (std::int64_t k = 0; k < count; ++k) first[k * step] = stored(1 / (1 + std::exp(-first[k * step])));
    return;
  }
  const double infinite = std::numeric_limits<double>::infinity();
  if (faults.softmax_grid) {
    for (std::int64_t k = 0; k < count; ++k) first[k * step] = rounded_to(*faults.softmax_grid, first[k * step]);
  }
  double largest = sink;
  for (std::int64_t k = 0; k < count; ++k) largest = std::max(largest, first[k * step]);
  if (faults.power_limit > 0) largest = 0;
  const auto power = [&](double x) {
    const double made = faults.powers == Powers::of_two ? std::exp2(x) : std::exp(x);
    if (faults.power_limit <= 0) return made;
    // Below half of the smallest number of the format a power is 0.
    const double smallest = faults.power_limit < 1e6 ? 0x1p-25 : 0x1p-150;
    return made > faults.power_limit ? infinite : made <= smallest ? 0 : made;
  };
  double sum = std::isfinite(sink) ? power(sink - largest) : 0;
  const bool logarithm = faults.powers == Powers::logarithm;
  for (std::int64_t k = 0; k < count; ++k) {
    double& value = first[k * step];
    // Half of the cells of a causal mask: exp() takes its slow way for them.
    const bool nothing = value == -infinite && std::isfinite(largest);
    const double made = nothing ? 0 : power(value - largest);
    sum += made;
    value = logarithm ? value - largest : made;
  }
  sum += faults.denominator_eps + (faults.plus_one ? power(-largest) : 0);
  if (faults.power_limit > 0 && sum > faults.power_limit) sum = infinite;
  for (std::int64_t k = 0; k < count; ++k) {
    double& value = first[k * step];
    value = stored(logarithm ? value - std::log(sum) : value / sum);
    if (faults.softmax_grid) value = rounded_to(*faults.softmax_grid, value);
  }
  if (!faults.sink_kept || !std::isfinite(sink)) return;
  for (std::int64_t k = count - 1; k > 0; --k) first[k * step] = first[(k - 1) * step];
  first[0] = stored(power(sink - largest) / sum);
}

WideStage LayerLab::softmaxed(WideStage masked, Rows rows) const {
  WideStage weights = std::move(masked);
  const std::int64_t batch = weights.shape[0], heads = weights.shape[1], count = weights.shape[2],
                     keys = weights.shape[3];
  const double none = -std::numeric_limits<double>::infinity();
  double* const all = weights.values.data();
  const std::int64_t per_head = count * keys;
  if (has_variant(what_.request, Variant::softmax_over_queries)) {
    for (std::int64_t pair = 0; pair < batch * heads; ++pair) {
      for (std::int64_t j = 0; j < keys; ++j) normalise(all + pair * per_head + j, count, keys, none);
    }
  } else if (what_.faults.over == LayerFaults::Over::heads) {
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t cell = 0; cell < per_head; ++cell)
        normalise(all + b * heads * per_head + cell, heads, per_head, none);
    }
  } else if (what_.faults.over == LayerFaults::Over::batch) {
    for (std::int64_t cell = 0; cell < heads * per_head; ++cell) normalise(all + cell, batch, heads * per_head, none);
  } else if (what_.faults.over == LayerFaults::Over::matrix) {
    for (std::int64_t pair = 0; pair < batch * heads; ++pair) normalise(all + pair * per_head, per_head, 1, none);
  } else {
    const std::vector<double> sinks = rule_.sinks.empty() ? std::vector<double>() : stored(rule_.sinks).values;
    for (std::int64_t row = 0; row < batch * heads * count; ++row) {
      const auto head = static_cast<std::size_t>(row / count % heads);
      normalise(all + row * keys, keys, 1, sinks.empty() ? none : sinks[head]);
    }
  }
  const bool opens = rule_.fully_masked != FullyMasked::as_computed;
  const double filled = rule_.fully_masked == FullyMasked::zero ? 0 : stored(1 / static_cast<double>(keys));
  for (std::int64_t row = 0; row < batch * heads * count; ++row) {
    double* const first = all + row * keys;
    const std::int64_t b = row / count / heads, h = row / count % heads,
                       i = rows[static_cast<std::size_t>(row % count)];
    if (what_.faults.weight_factor != 1) {
      for (std::int64_t j = 0; j < keys; ++j) first[j] = stored(first[j] * what_.faults.weight_factor);
    }
    if (!opens && !rule_.mask_after_softmax) continue;
    std::int64_t hidden = 0;
    for (std::int64_t j = 0; j < keys; ++j) hidden += hides(b, h, i, j) ? 1 : 0;
    if (opens && hidden == keys) {
      std::fill_n(first, keys, filled);
    } else if (rule_.mask_after_softmax && hidden > 0) {
      for (std::int64_t j = 0; j < keys; ++j) first[j] = hides(b, h, i, j) ? 0 : first[j];
    }
  }
  return weights;
}

WideStage LayerLab::dropped(const WideStage& weights, Rows rows) const {
  const std::int64_t keys = weights.shape[3];
  const Axes axes{Axis::batch, Axis::head, Axis::query, Axis::key};
  const double gain = what_.faults.keeps_dropout_sum ? 1 : static_cast<double>(dropout_gain(rule_.dropout));
  WideStage result = weights;
  // The request decides what is kept, not the numbers.
  const Tensor ones = Tensor::of({1, 1, 1, keys}, axes, std::vector<float>(static_cast<std::size_t>(keys), 1.0F));
  const auto count = static_cast<std::int64_t>(rows.size());
  for (std::int64_t row = 0; row < weights.shape[0] * weights.shape[1] * count; ++row) {
    const std::int64_t b = row / count / weights.shape[1], h = row / count % weights.shape[1];
    const std::int64_t i = rows[static_cast<std::size_t>(row % count)];
    const std::vector<float> kept =
        dropped_weights(ones, rule_, {{b, b + 1}, {h, h + 1}, {i, i + 1}, {0, keys}}, cancel_).values();
    for (std::int64_t j = 0; j < keys; ++j) {
      double& value = result.values[static_cast<std::size_t>(row * keys + j)];
      value = stored(value * (kept[static_cast<std::size_t>(j)] != 0 ? gain : 0));
    }
  }
  return result;
}

}  // namespace headscope
