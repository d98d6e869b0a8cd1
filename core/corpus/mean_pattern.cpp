#include "core/corpus/mean_pattern.h"

#include <limits>

#include "core/base/assert.h"

namespace headscope {
namespace {

constexpr auto kParts = static_cast<std::int64_t>(kPatternParts);

// The first position of the part: the smallest i with floor(parts i / n) >= part.
std::int64_t first_of_part(std::int64_t part, std::int64_t n) {
  return (part * n + kParts - 1) / kParts;
}

}  // namespace

std::size_t pattern_part(std::int64_t i, std::int64_t n) {
  HEADSCOPE_ASSERT(0 <= i && i < n, "a position behind the last one");
  return static_cast<std::size_t>(i * kParts / n);
}

void MeanPattern::add_row(std::int64_t i, std::int64_t n, std::span<const float> w) {
  const std::size_t query = pattern_part(i, n);
  ++rows[query];
  const auto keys = static_cast<std::int64_t>(w.size());
  for (std::int64_t key = 0; key < kParts; ++key) {
    double sum = 0;
    const std::int64_t end = first_of_part(key + 1, keys);
    for (std::int64_t j = first_of_part(key, keys); j < end; ++j) {
      sum += static_cast<double>(w[static_cast<std::size_t>(j)]);
    }
    if (sum != 0) sums[query * kPatternParts + static_cast<std::size_t>(key)].add(sum);
  }
}

void MeanPattern::add(const MeanPattern& other) {
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] += other.rows[k];
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(other.sums[k]);
}

double MeanPattern::mean(std::size_t query, std::size_t key) const {
  if (rows[query] == 0) return std::numeric_limits<double>::quiet_NaN();
  return sums[query * kPatternParts + key].value() / static_cast<double>(rows[query]);
}

std::array<double, kPatternParts * kPatternParts> MeanPattern::means() const {
  std::array<double, kPatternParts * kPatternParts> all{};
  for (std::size_t query = 0; query < kPatternParts; ++query) {
    for (std::size_t key = 0; key < kPatternParts; ++key) all[query * kPatternParts + key] = mean(query, key);
  }
  return all;
}

}  // namespace headscope
