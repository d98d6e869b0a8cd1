// Where in their phrases a head's rows lie and where they look: its weights over many phrases as one small map.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/corpus/exact_sum.h"

namespace headscope {

// A phrase of any length is cut into so many parts, for its queries and for its keys.
constexpr std::size_t kPatternParts = 8;

// The part that position i of n lies in: floor(kPatternParts i / n). A short phrase has parts without positions.
std::size_t pattern_part(std::int64_t i, std::int64_t n);

struct MeanPattern {
  std::array<std::uint64_t, kPatternParts> rows{};             // in each part of their phrase
  std::array<ExactSum, kPatternParts * kPatternParts> sums{};  // [query part][key part]: of the weights that lie there

  // Row i of n, whose weights `w` are one a key and finite. Of each part the weights are added up in double,
  // in four sums (every fourth key from the first, the second ...), then these by twos, and that as one term.
  void add_row(std::int64_t i, std::int64_t n, std::span<const float> w);
  // Associative and commutative, to the bit.
  void add(const MeanPattern& other);
  // How much of its weight a row in the query part gives to the key part, in the mean; NaN over no row. Where no row is
  // NaN and no sink takes a share, these add up to 1 over the key parts.
  double mean(std::size_t query, std::size_t key) const;
  // All of them, [query][key].
  std::array<double, kPatternParts * kPatternParts> means() const;
  friend bool operator==(const MeanPattern&, const MeanPattern&) = default;
};

}  // namespace headscope
