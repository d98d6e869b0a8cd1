// What one row of weights gives to each metric of its head.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/heads/head_metric_kind.h"
#include "core/heads/token_places.h"

namespace headscope {

// The value of the row under every metric that is a mean over rows like it; formulas: metric_formula().
struct HeadRowValues {
  bool has_nan = false;  // then it counts nowhere: no metric has a value
  // Its softmax had something to choose from: two keys or more, or a key and a learned sink. Without, a row is defined
  // for the entropy alone, since its weight is 1 whatever the head does.
  bool has_choice = false;
  float largest = 0;  // the row's largest weight
  std::array<double, kHeadMetrics> values{};
  std::array<bool, kHeadMetrics> defined{};

  bool has(HeadMetric metric) const { return defined[static_cast<std::size_t>(metric)]; }
  double operator[](HeadMetric metric) const { return values[static_cast<std::size_t>(metric)]; }
  void set(HeadMetric metric, double value) {
    values[static_cast<std::size_t>(metric)] = value;
    defined[static_cast<std::size_t>(metric)] = true;
  }
};

// Of row i, its weights `w` [key_len], of which `visible_keys` are not hidden. `sink_share` is what a learned sink
// takes of the row, which then is one outcome more of the entropy and of what `uniform` divides by; the mean distance
// is that of what the keys get, divided by their sum, and not defined of one key or where they get nothing.
HeadRowValues head_row_values(std::int64_t i, std::span<const float> w, std::int64_t visible_keys,
                              const TokenPlaces& places, std::optional<double> sink_share = {});

}  // namespace headscope
