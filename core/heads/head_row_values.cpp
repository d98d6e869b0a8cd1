#include "core/heads/head_row_values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/tensor/row_summary.h"

namespace headscope {
namespace {

constexpr std::int64_t kLocalReach = 2;
constexpr std::int64_t kUniformKeys = 4;  // rows with fewer visible keys say nothing about uniform
constexpr std::int64_t kLocalKeys = 8;    // nor about local: 5 of 8 keys are near

// sum_j w[j] |i - j|, in four sums so that additions do not wait for each other.
double distance_of(std::span<const float> w, std::int64_t i) {
  const auto len = static_cast<std::int64_t>(w.size());
  std::array<double, 4> sums{};
  const auto term = [&](std::int64_t j) {
    return static_cast<double>(w[static_cast<std::size_t>(j)]) * static_cast<double>(std::abs(i - j));
  };
  std::int64_t j = 0;
  for (; j + 4 <= len; j += 4) {
    for (std::int64_t lane = 0; lane < 4; ++lane) sums[static_cast<std::size_t>(lane)] += term(j + lane);
  }
  for (; j < len; ++j) sums[0] += term(j);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The metrics of places among the tokens.
void add_positions(std::int64_t i, std::span<const float> w, std::int64_t visible_keys, const TokenPlaces& places,
                   HeadRowValues& row) {
  const std::int64_t len = places.token_len();
  const auto at = [&](std::int64_t j) { return static_cast<double>(w[static_cast<std::size_t>(j)]); };
  if (i >= 1) row.set(HeadMetric::previous_token, at(i - 1));
  if (i + 1 < len) row.set(HeadMetric::next_token, at(i + 1));
  row.set(HeadMetric::self, at(i));
  // The key of bias_k lies behind the tokens and has no place among them.
  row.set(HeadMetric::mean_distance, distance_of(w.first(static_cast<std::size_t>(len)), i));
  const std::vector<std::int64_t> matching = places.after_earlier(i);
  if (!matching.empty()) {
    double matched = 0;
    for (const std::int64_t j : matching) matched += at(j);
    row.set(HeadMetric::induction, matched);
  }
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
  const RowSummary all = summary_of_row(w);
  row.has_nan = all.has_nan;
  if (all.has_nan) return row;
  row.largest = all.largest;
  row.set(HeadMetric::entropy, all.entropy_bits);
  if (visible_keys < 2) return row;
  row.sees_two = true;
  const auto at = [&](std::int64_t j) { return static_cast<double>(w[static_cast<std::size_t>(j)]); };
  if (places.positions_agree()) add_positions(i, w, visible_keys, places, row);
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
