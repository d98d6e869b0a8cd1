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

bool LayerLab::softmax_crosses_pairs() const {
  if (has_variant(what_.request, Variant::softmax_over_queries)) return false;
  return what_.faults.over == LayerFaults::Over::heads || what_.faults.over == LayerFaults::Over::batch;
}

// Some columns at a time become rows: one alone would be read from far apart, again for each step.
void LayerLab::normalise_columns(double* cells, std::int64_t count, std::int64_t keys) const {
  constexpr std::int64_t kColumns = 8;  // of a line of the cache
  const double none = -std::numeric_limits<double>::infinity();
  std::vector<double> turned(static_cast<std::size_t>(kColumns * count));
  for (std::int64_t first = 0; first < keys; first += kColumns) {
    const std::int64_t columns = std::min(kColumns, keys - first);
    double* const to = turned.data();
    for (std::int64_t r = 0; r < count; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) to[c * count + r] = cells[r * keys + first + c];
    }
    for (std::int64_t c = 0; c < columns; ++c) normalise(to + c * count, count, 1, none);
    for (std::int64_t r = 0; r < count; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) cells[r * keys + first + c] = to[c * count + r];
    }
  }
}

void LayerLab::softmax(const Pair& at, const std::vector<double>& sinks, double* cells) const {
  const double none = -std::numeric_limits<double>::infinity();
  const auto count = static_cast<std::int64_t>(at.rows.size());
  if (has_variant(what_.request, Variant::softmax_over_queries)) return normalise_columns(cells, count, at.keys);
  if (what_.faults.over == LayerFaults::Over::matrix) return normalise(cells, count * at.keys, 1, none);
  const double sink = sinks.empty() ? none : sinks[static_cast<std::size_t>(at.h)];
  for (std::int64_t r = 0; r < count; ++r) normalise(cells + r * at.keys, at.keys, 1, sink);
}

void LayerLab::open_rows(const Pair& at, double filled, double* cells) const {
  const bool opens = rule_.fully_masked != FullyMasked::as_computed;
  double* first = cells;
  for (const std::int64_t i : at.rows) {
    double* const row = std::exchange(first, first + at.keys);
    if (what_.faults.weight_factor != 1) {
      for (std::int64_t j = 0; j < at.keys; ++j) row[j] = stored(row[j] * what_.faults.weight_factor);
    }
    if (!opens && !rule_.mask_after_softmax) continue;
    std::int64_t hidden = 0;
    for (std::int64_t j = 0; j < at.keys; ++j) hidden += hides(at.b, at.h, i, j) ? 1 : 0;
    if (opens && hidden == at.keys) {
      std::fill_n(row, at.keys, filled);
    } else if (rule_.mask_after_softmax && hidden > 0) {
      for (std::int64_t j = 0; j < at.keys; ++j) row[j] = hides(at.b, at.h, i, j) ? 0 : row[j];
    }
  }
}

std::vector<double> LayerLab::sinks() const {
  return rule_.sinks.empty() ? std::vector<double>() : stored(rule_.sinks).values;
}

double LayerLab::weight_of_opened(std::int64_t keys) const {
  return rule_.fully_masked == FullyMasked::zero ? 0 : stored(1 / static_cast<double>(keys));
}

WideStage LayerLab::softmaxed(WideStage masked, Rows rows) const {
  WideStage weights = std::move(masked);
  const std::int64_t batch = weights.shape[0], heads = weights.shape[1], keys = weights.shape[3];
  const std::int64_t per_head = weights.shape[2] * keys;
  const double none = -std::numeric_limits<double>::infinity();
  double* const all = weights.values.data();
  if (!softmax_crosses_pairs()) {
    each_pair_of(weights, rows, [&, sinks = sinks()](const Pair& at, double* cells) { softmax(at, sinks, cells); });
  } else if (what_.faults.over == LayerFaults::Over::heads) {
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t cell = 0; cell < per_head; ++cell)
        normalise(all + b * heads * per_head + cell, heads, per_head, none);
    }
  } else {
    for (std::int64_t cell = 0; cell < heads * per_head; ++cell) normalise(all + cell, batch, heads * per_head, none);
  }
  const double filled = weight_of_opened(keys);
  each_pair_of(weights, rows, [&](const Pair& at, double* cells) { open_rows(at, filled, cells); });
  return weights;
}

void LayerLab::drop(const Pair& at, double* cells) const {
  const Axes axes{Axis::batch, Axis::head, Axis::query, Axis::key};
  const double gain = what_.faults.keeps_dropout_sum ? 1 : static_cast<double>(dropout_gain(rule_.dropout));
  // The request decides what is kept, not the numbers.
  const Tensor ones = Tensor::of({1, 1, 1, at.keys}, axes, std::vector<float>(static_cast<std::size_t>(at.keys), 1.0F));
  for (const std::int64_t i : at.rows) {
    const Region row{{at.b, at.b + 1}, {at.h, at.h + 1}, {i, i + 1}, {0, at.keys}};
    const std::vector<float> kept = dropped_weights(ones, rule_, row, cancel_).values();
    for (const float each : kept) {
      *cells = stored(*cells * (each != 0 ? gain : 0));
      ++cells;
    }
  }
}

}  // namespace headscope
