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

// The metrics of places among the tokens; `seen` is the row without zeros at its end.
void add_positions(std::int64_t i, std::span<const float> w, std::span<const float> seen, std::int64_t visible_keys,
                   const TokenPlaces& places, HeadRowValues& row) {
  const std::int64_t len = places.token_len();
  const auto at = [&](std::int64_t j) { return static_cast<double>(w[static_cast<std::size_t>(j)]); };
  if (i >= 1) row.set(HeadMetric::previous_token, at(i - 1));
  if (i + 1 < len) row.set(HeadMetric::next_token, at(i + 1));
  row.set(HeadMetric::self, at(i));
  // The key of bias_k lies behind the tokens and has no place among them.
  row.set(HeadMetric::mean_distance,
          distance_of_row(seen.first(std::min(seen.size(), static_cast<std::size_t>(len))), i));
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
                              const TokenPlaces& places) {
  HeadRowValues row;
  const std::span<const float> seen = without_zeros_at_end(w);
  const RowSummary all = summary_of_row(seen);
  row.has_nan = all.has_nan;
  if (all.has_nan) return row;
  row.largest = all.largest;
  row.set(HeadMetric::entropy, all.entropy_bits);
  if (visible_keys < 2) return row;
  row.sees_two = true;
  const auto at = [&](std::int64_t j) { return static_cast<double>(w[static_cast<std::size_t>(j)]); };
  if (places.positions_agree()) add_positions(i, w, seen, visible_keys, places, row);
  if (!places.positions_agree() || i >= 1) row.set(HeadMetric::first_token, at(0));
  if (!places.special_keys().empty()) {
    double special = 0;
    for (const std::int64_t j : places.special_keys()) special += at(j);
    row.set(HeadMetric::special_tokens, special);
  }
  if (visible_keys >= kUniformKeys) {
    row.set(HeadMetric::uniform, all.entropy_bits / std::log2(static_cast<double>(visible_keys)));
  }
  return row;
}

}  // namespace headscope
