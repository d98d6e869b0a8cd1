#include "core/corpus/mean_pattern.h"

#include <algorithm>
#include <limits>

#include "core/base/assert.h"
#include "core/tensor/row_summary.h"
#include "core/tensor/row_sums.h"

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
  const auto seen = static_cast<std::int64_t>(without_zeros_at_end(w).size());
  for (std::int64_t key = 0; key < kParts; ++key) {
    const std::int64_t begin = first_of_part(key, keys);
    if (begin >= seen) break;
    const double sum =
        sum_of_row(w.subspan(static_cast<std::size_t>(begin),
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
  std::size_t cell = 0;
  for (double& each : all) {
    each = mean(cell / kPatternParts, cell % kPatternParts);
    ++cell;
  }
  return all;
}

}  // namespace headscope
