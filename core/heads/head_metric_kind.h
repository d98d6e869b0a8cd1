// The metrics that describe a head, by name.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace headscope {

// Each is a mean over rows of `weights`; formulas: metric_formula(), core/README.md, 'Metrics of a head'.
enum class HeadMetric {
  entropy,
  mean_distance,
  previous_token,
  next_token,
  self,
  first_token,
  special_tokens,
  induction,
  local,
  uniform,
};
constexpr std::size_t kHeadMetrics = 10;

// All of them, in the order above.
const std::array<HeadMetric, kHeadMetrics>& all_head_metrics();

// "previous_token": in files, options and JSON.
std::string_view metric_key(HeadMetric metric);
// nullopt for another key.
std::optional<HeadMetric> metric_of_key(std::string_view key);

// "previous token": on screen.
std::string_view metric_name(HeadMetric metric);

// One sentence: the formula, over which rows, and where it was published.
std::string_view metric_formula(HeadMetric metric);

// Whether the metric is a weight or a share in [0, 1], so that heads can be compared on one axis.
bool is_share(HeadMetric metric);

}  // namespace headscope
