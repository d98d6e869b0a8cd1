#include "core/heads/head_row_values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "core/tensor/row_summary.h"
#include "core/tensor/row_sums.h"

namespace headscope {
namespace {

constexpr std::int64_t kLocalReach = 2;
constexpr std::int64_t kUniformKeys = 4;  // rows with fewer visible keys say nothing about uniform
constexpr std::int64_t kLocalKeys = 8;    // nor about local: 5 of 8 keys are near

// sum w[p + 1] over all p < i - 1 that hold the token of i; nothing where there are none.
std::optional<double> induction_of(std::span<const float> w, std::int64_t i, const TokenPlaces& places) {
  std::optional<double> sum;
  for (const std::int64_t p : places.same_as(i)) {
    if (p >= i - 1) break;
    sum = sum.value_or(0) + static_cast<double>(w[static_cast<std::size_t>(p + 1)]);
  }
  return sum;
}

// The entropy of the row, in bits, in which a sink's share is one outcome more.
double entropy_with(double entropy_bits, const std::optional<double>& sink_share) {
  return sink_share && *sink_share > 0 ? entropy_bits - *sink_share * std::log2(*sink_share) : entropy_bits;
}

// How far away the tokens are that row i attends to; `w` is of tokens alone. Beside a sink their weights do not sum to
// 1, and of one key alone what it gets is the sink's business, and how far away it is nobody's choice.
std::optional<double> distance_of(std::int64_t i, std::span<const float> w, std::int64_t visible_keys,
                                  bool beside_sink) {
  if (!beside_sink) return distance_of_row(w, i);
  if (visible_keys < 2) return std::nullopt;
  const double sum = sum_of_row(w);
  return sum > 0 ? std::optional<double>(distance_of_row(w, i) / sum) : std::nullopt;
}

// The metrics of places among the tokens but for the distance.
void add_positions(std::int64_t i, std::span<const float> w, std::int64_t visible_keys, const TokenPlaces& places,
                   HeadRowValues& row) {
  const std::int64_t len = places.token_len();
  const auto at = [&](std::int64_t j) { return static_cast<double>(w[static_cast<std::size_t>(j)]); };
  if (i >= 1) row.set(HeadMetric::previous_token, at(i - 1));
  if (i + 1 < len) row.set(HeadMetric::next_token, at(i + 1));
  row.set(HeadMetric::self, at(i));
  if (const auto matched = induction_of(w, i, places)) row.set(HeadMetric::induction, *matched);
  if (visible_keys >= kLocalKeys) {
    double near = 0;
    const std::int64_t end = std::min(len - 1, i + kLocalReach);
    for (std::int64_t j = std::max<std::int64_t>(0, i - kLocalReach); j <= end; ++j) near += at(j);
    row.set(HeadMetric::local, near);
  }
}

}  // namespace

HeadRowValues head_row_values(std::int64_t i, std::span<const float> w, std::int64_t visible_keys,
                              const TokenPlaces& places, std::optional<double> sink_share) {
  HeadRowValues row;
  const std::span<const float> seen = without_zeros_at_end(w);
  const RowSummary all = summary_of_row(seen);
  row.has_nan = all.has_nan || (sink_share && std::isnan(*sink_share));
  if (row.has_nan) return row;
  row.largest = all.largest;
  const double entropy = entropy_with(all.entropy_bits, sink_share);
  row.set(HeadMetric::entropy, entropy);
  const std::int64_t outcomes = visible_keys + (sink_share ? 1 : 0);
  row.has_choice = outcomes >= 2;
  if (!row.has_choice) return row;
  const auto at = [&](std::int64_t j) { return static_cast<double>(w[static_cast<std::size_t>(j)]); };
  if (places.positions_agree()) {
    add_positions(i, w, visible_keys, places, row);
    // The key of bias_k lies behind the tokens and has no place among them.
    const auto tokens = seen.first(std::min(seen.size(), static_cast<std::size_t>(places.token_len())));
    if (const auto distance = distance_of(i, tokens, visible_keys, sink_share.has_value())) {
      row.set(HeadMetric::mean_distance, *distance);
    }
  }
  if (!places.positions_agree() || i >= 1) row.set(HeadMetric::first_token, at(0));
  if (!places.special_keys().empty()) {
    double special = 0;
    for (const std::int64_t j : places.special_keys()) special += at(j);
    row.set(HeadMetric::special_tokens, special);
  }
  if (visible_keys >= kUniformKeys) {
    row.set(HeadMetric::uniform, entropy / std::log2(static_cast<double>(outcomes)));
  }
  return row;
}

}  // namespace headscope
