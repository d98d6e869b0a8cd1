// What one row of weights gives to each metric of its head.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/heads/head_metric_kind.h"
#include "core/heads/token_places.h"

namespace headscope {

// The value of the row under every metric that is a mean over rows like it; formulas: metric_formula().
struct HeadRowValues {
  bool has_nan = false;   // then it counts nowhere: no metric has a value
  bool sees_two = false;  // two keys or more are visible; a row of one is defined for the entropy alone
  float largest = 0;      // the row's largest weight
  std::array<double, kHeadMetrics> values{};
  std::array<bool, kHeadMetrics> defined{};

  bool has(HeadMetric metric) const { return defined[static_cast<std::size_t>(metric)]; }
  double operator[](HeadMetric metric) const { return values[static_cast<std::size_t>(metric)]; }
  void set(HeadMetric metric, double value) {
    values[static_cast<std::size_t>(metric)] = value;
    defined[static_cast<std::size_t>(metric)] = true;
  }
};

// Of row i, its weights `w` [key_len], of which `visible_keys` are not hidden.
HeadRowValues head_row_values(std::int64_t i, std::span<const float> w, std::int64_t visible_keys,
                              const TokenPlaces& places);

}  // namespace headscope
