#include "core/corpus/mean_pattern.h"

#include <algorithm>
#include <limits>

#include "core/base/assert.h"
#include "core/tensor/row_summary.h"

namespace headscope {
namespace {

constexpr auto kParts = static_cast<std::int64_t>(kPatternParts);

// The first position of the part: the smallest i with floor(parts i / n) >= part.
std::int64_t first_of_part(std::int64_t part, std::int64_t n) {
  return (part * n + kParts - 1) / kParts;
}

// In four sums, so that additions do not wait for each other.
double sum_of(std::span<const float> w) {
  std::array<double, 4> sums{};
  std::size_t j = 0;
  for (; j + 4 <= w.size(); j += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += static_cast<double>(w[j + lane]);
  }
  for (std::size_t lane = 0; j < w.size(); ++j, ++lane) sums[lane] += static_cast<double>(w[j]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
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
  const auto seen = static_cast<std::int64_t>(without_zeros_at_end(w).size());
  for (std::int64_t key = 0; key < kParts; ++key) {
    const std::int64_t begin = first_of_part(key, keys);
    if (begin >= seen) break;
    const double sum =
        sum_of(w.subspan(static_cast<std::size_t>(begin),
                         static_cast<std::size_t>(std::min(first_of_part(key + 1, keys), seen) - begin)));
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
