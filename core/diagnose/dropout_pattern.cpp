#include "core/diagnose/dropout_pattern.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace headscope {
namespace {

constexpr std::size_t kFewest = 16;  // that are dropped, and kept
constexpr double kSpread = 5;        // standard deviations
constexpr double kSmallest = 1e-4;   // of a weight whose factor is asked

struct Weight {
  std::int64_t pair = 0, i = 0, j = 0;
  double own = 0;
  bool dropped = false;
};

// How many of a group there are, and how many of them are dropped.
struct Group {
  double all = 0, dropped = 0;
};

// The sum over groups of (dropped - p all)^2 / (p q all) has the mean 1 a group and the variance 2 + (1 - 6 p q) / (p q
// all) a group, for independent draws of p.
template <typename Of>
bool alike(const std::vector<Weight>& weights, double p, Of&& group_of) {
  std::map<std::int64_t, Group> groups;
  for (const Weight& each : weights) {
    Group& group = groups[group_of(each)];
    group.all += 1;
    group.dropped += each.dropped ? 1 : 0;
  }
  if (groups.size() < 2) return true;
  double sum = 0, variance = 0;
  const double spread = p * (1 - p);
  for (const auto& [name, group] : groups) {
    sum += std::pow(group.dropped - p * group.all, 2) / (spread * group.all);
    variance += 2 + std::max(0.0, 1 - 6 * spread) / (spread * group.all);
  }
  // The share is taken from the same draws: one group is not free.
  return std::abs(sum - static_cast<double>(groups.size() - 1)) <= kSpread * std::sqrt(variance);
}

// Whether dropped weights are as large as kept ones: their mean place by size, of draws without regard to it.
bool of_all_sizes(std::vector<Weight> weights, double dropped) {
  std::stable_sort(weights.begin(), weights.end(), [](const Weight& a, const Weight& b) { return a.own < b.own; });
  const auto all = static_cast<double>(weights.size());
  double places = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) places += weights[k].dropped ? static_cast<double>(k) : 0;
  const double mean = dropped * (all - 1) / 2, variance = dropped * (all - dropped) * (all + 1) / 12;
  return std::abs(places - mean) <= kSpread * std::sqrt(variance);
}

}  // namespace

std::optional<DropoutPattern> dropout_pattern(const WideStage& ours, const WideStage& theirs) {
  if (!(ours.shape == theirs.shape) || ours.shape.count != 4) return std::nullopt;
  const std::int64_t queries = ours.shape[2], keys = ours.shape[3];
  std::vector<Weight> weights;
  std::vector<double> factors;
  std::size_t dropped = 0;
  for (std::size_t k = 0; k < ours.values.size(); ++k) {
    const double own = ours.values[k], other = theirs.values[k];
    if (!(own > 0)) continue;
    const auto cell = static_cast<std::int64_t>(k), row = cell / keys;
    weights.push_back({row / queries, row % queries, cell % keys, own, other == 0});
    dropped += other == 0 ? 1 : 0;
    if (other != 0 && own > kSmallest) factors.push_back(other / own);
  }
  if (dropped < kFewest || factors.size() < kFewest) return std::nullopt;
  const double share = static_cast<double>(dropped) / static_cast<double>(weights.size());
  const auto pair = [](const Weight& each) { return each.pair; };
  const auto row = [&](const Weight& each) { return each.pair * queries + each.i; };
  const auto column = [&](const Weight& each) { return each.pair * keys + each.j; };
  const auto key = [](const Weight& each) { return each.j; };
  const auto distance = [](const Weight& each) { return each.i - each.j; };
  if (!alike(weights, share, pair) || !alike(weights, share, row) || !alike(weights, share, column) ||
      !alike(weights, share, key) || !alike(weights, share, distance) ||
      !of_all_sizes(weights, static_cast<double>(dropped))) {
    return std::nullopt;
  }
  const auto middle = factors.begin() + static_cast<std::ptrdiff_t>(factors.size() / 2);
  std::nth_element(factors.begin(), middle, factors.end());
  return DropoutPattern{share, *middle};
}

}  // namespace headscope
